/** Never more work at once than there are places, in the order of arrival, and no place is ever lost. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { neverAborted } from './abort.ts';
import { createLimiter, type Limiter } from './limiter.ts';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

/** Starts pieces of work that last until the test ends them, and keeps book. */
const createBook = (limiter: Limiter) => {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const start = (name: string, signal: AbortSignal = neverAborted()): Promise<string> => {
    const end = Promise.withResolvers<string>();
    ends.set(name, end);
    return limiter.run(() => {
      started.push(name);
      return end.promise;
    }, signal);
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.resolve(name);
    await settle();
  };
  return { started, start, end, ends };
};

describe('a limiter', () => {
  test('starts no more than it has places, and the next in order of arrival', async () => {
    const limiter = createLimiter(2);
    const { started, start, end } = createBook(limiter);
    const all = ['a', 'b', 'c', 'd'].map((name) => start(name));
    await settle();
    assert.deepEqual([started, limiter.active, limiter.waiting], [['a', 'b'], 2, 2]);
    await end('b');
    assert.deepEqual(started, ['a', 'b', 'c']);
    for (const name of ['a', 'c', 'd']) await end(name);
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
    assert.deepEqual([limiter.active, limiter.waiting], [0, 0]);
  });

  test('gives the place back when work fails, and passes the failure on', async () => {
    const limiter = createLimiter(1);
    const failing = limiter.run(() => Promise.reject(new Error('broken')), neverAborted());
    const next = limiter.run(() => Promise.resolve('fine'), neverAborted());
    await assert.rejects(failing, /broken/);
    assert.equal(await next, 'fine');
    assert.equal(limiter.active, 0);
  });

  test('gives the place back when work throws before it returns a promise', async () => {
    const limiter = createLimiter(1);
    const throwing = (): Promise<never> => {
      throw new Error('at once');
    };
    await assert.rejects(limiter.run(throwing, neverAborted()), /at once/);
    assert.equal(limiter.active, 0);
  });

  test('lets a waiter leave the line, whose work then never starts', async () => {
    const limiter = createLimiter(1);
    const { started, start, end } = createBook(limiter);
    const leaver = new AbortController();
    const first = start('first');
    const left = start('left', leaver.signal);
    const last = start('last');
    leaver.abort();
    await assert.rejects(left, { kind: 'cancelled' });
    assert.equal(limiter.waiting, 1);
    await end('first');
    await end('last');
    assert.deepEqual([await first, await last, started], ['first', 'last', ['first', 'last']]);
  });

  test('does not begin what is aborted already', async () => {
    const limiter = createLimiter(1);
    await assert.rejects(
      limiter.run(() => Promise.resolve(1), AbortSignal.abort()),
      { kind: 'cancelled' },
    );
    assert.equal(limiter.active, 0);
  });

  test('leaves work under way to its own signal', async () => {
    const limiter = createLimiter(1);
    const { start, end } = createBook(limiter);
    const controller = new AbortController();
    const running = start('running', controller.signal);
    controller.abort();
    await end('running');
    assert.equal(await running, 'running');
  });

  test('needs at least one place', () => {
    assert.throws(() => createLimiter(0), { code: 'AssertionFailed' });
  });

  test('never exceeds its places and ends empty, whatever starts, ends and aborts come', async () => {
    const steps = fc.array(fc.record({ do: fc.constantFrom('start', 'end', 'abort'), which: fc.nat(20) }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (places, plan) => {
        const limiter = createLimiter(places);
        const { start, end, ends } = createBook(limiter);
        const signals: AbortController[] = [];
        const results: Promise<unknown>[] = [];
        for (const step of plan) {
          if (step.do === 'start') {
            const controller = new AbortController();
            results.push(start(`${signals.length}`, controller.signal).catch(() => undefined));
            signals.push(controller);
          } else if (step.do === 'end') await end(`${step.which}`);
          else signals[step.which]?.abort();
          await settle();
          assert.ok(limiter.active <= places);
          assert.ok(limiter.waiting === 0 || limiter.active === places, 'nobody waits while a place is free');
        }
        for (const name of ends.keys()) await end(name);
        await Promise.all(results);
        assert.deepEqual([limiter.active, limiter.waiting], [0, 0]);
      }),
      { numRuns: 50 },
    );
  });
});
