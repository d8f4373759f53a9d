import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ERROR_BEHAVIOUR, ERROR_KINDS, type ErrorKind, FleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createWorkQueue, type Verdict } from './work-queue.ts';

const failed = (kind: ErrorKind, retryAfterMs?: number): Verdict => ({
  next: 'failed',
  error: new FleetError(kind, { code: 'Test', message: 'no', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }),
});

/** A queue at work, whose passes are recorded and answered by `answer`. */
const startQueue = (
  options: { workers?: number; answer?: (key: string, pass: number) => Verdict | Promise<Verdict> } = {},
) => {
  const clock = createManualClock();
  const queue = createWorkQueue({ clock, random: createSeededRandom(1), workers: options.workers ?? 1 });
  const stop = new AbortController();
  const passes: string[] = [];
  const answer = options.answer ?? (() => ({ next: 'rest' }) as const);
  const ended = queue.run(async (key) => {
    passes.push(key);
    return answer(key, passes.filter((earlier) => earlier === key).length);
  }, stop.signal);
  const advance = async (ms: number): Promise<void> => {
    await nextTurn();
    clock.advance(ms);
    await nextTurn();
  };
  return { queue, passes, stop, ended, advance };
};

/** A pass that lasts until told otherwise. */
const gate = () => {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  return { promise, open: () => resolve({ next: 'rest' }) };
};

describe('work queue', () => {
  it('makes one pass out of many adds', async () => {
    const { queue, passes, advance } = startQueue();
    const blocker = ['a', 'b', 'b', 'b'];
    for (const key of blocker) queue.add(key, 'change');
    await advance(0);
    assert.deepEqual(passes, ['a', 'b']);
  });

  it('never works on one key twice at a time, and looks again after a change that came during a pass', async () => {
    const first = gate();
    const { queue, passes, advance } = startQueue({
      workers: 4,
      answer: (_, pass) => (pass === 1 ? first.promise : { next: 'rest' }),
    });
    queue.add('a', 'change');
    queue.add('a', 'change');
    queue.add('a', 'wish');
    await advance(0);
    assert.deepEqual(passes, ['a']);
    first.open();
    await advance(0);
    assert.deepEqual(passes, ['a', 'a']);
  });

  it('works on at most so many keys at once', async () => {
    const gates = new Map(['a', 'b', 'c'].map((key) => [key, gate()]));
    const { queue, passes, advance } = startQueue({
      workers: 2,
      answer: (key) => gates.get(key)?.promise ?? { next: 'rest' },
    });
    for (const key of gates.keys()) queue.add(key, 'change');
    await advance(0);
    assert.deepEqual(passes, ['a', 'b']);
    gates.get('b')?.open();
    await advance(0);
    assert.deepEqual(passes, ['a', 'b', 'c']);
  });

  it('takes fresh keys before resync keys, yet starves none', async () => {
    const first = gate();
    const { queue, passes, advance } = startQueue({
      answer: (key) => (key === 'first' ? first.promise : { next: 'rest' }),
    });
    queue.add('first', 'change');
    queue.add('old', 'resync');
    for (let at = 0; at < 20; at += 1) queue.add(`new-${at}`, 'wish');
    first.open();
    await advance(0);
    assert.equal(passes.length, 22);
    const turn = passes.indexOf('old');
    assert.ok(turn > 5 && turn < 12, `the resync key had turn ${turn}`);
  });

  it('gives the others their turn while one key is hot', async () => {
    const hot = startQueue({
      answer: (key) => {
        if (key === 'hot') hot.queue.add('hot', 'wish');
        return { next: 'rest' };
      },
    });
    hot.queue.add('hot', 'wish');
    for (const key of ['a', 'b', 'c']) hot.queue.add(key, 'change');
    for (let turn = 0; turn < 4 && !hot.passes.includes('c'); turn += 1) await Promise.resolve().then(() => undefined);
    hot.stop.abort();
    await hot.ended;
    const turns = hot.passes.slice(0, 8);
    assert.ok(
      ['a', 'b', 'c'].every((key) => turns.includes(key)),
      `the turns went to ${turns.join(' ')}`,
    );
  });

  it('lets a failed key wait out its backoff although its status changes', async () => {
    const { queue, passes, advance } = startQueue({ answer: () => failed('unavailable') });
    queue.add('a', 'change');
    await advance(0);
    for (let at = 0; at < 9; at += 1) {
      queue.add('a', 'change');
      await advance(100);
    }
    assert.equal(passes.length, 1);
    await advance(2_000);
    assert.equal(passes.length, 2);
  });

  it('forgives a failed key at once when its wish changes', async () => {
    const { queue, passes, advance } = startQueue({ answer: () => failed('unavailable') });
    queue.add('a', 'change');
    await advance(0);
    queue.add('a', 'wish');
    await advance(0);
    assert.equal(passes.length, 2);
  });

  it('waits longer after each failure, up to the longest backoff', async () => {
    const { queue, passes, advance } = startQueue({ answer: () => failed('unavailable') });
    queue.add('a', 'change');
    await advance(0);
    for (let minute = 0; minute < 600; minute += 1) await advance(60_000);
    assert.ok(passes.length > 600 / 6 && passes.length < 600, `${passes.length} passes in ten hours`);
  });

  it('keeps the failures of a key that was held back', async () => {
    const { queue, passes, advance } = startQueue({
      answer: (_, pass) => (pass === 2 ? { next: 'held-back' } : failed('denied')),
    });
    queue.add('a', 'change');
    await advance(60_000);
    assert.equal(passes.length, 2);
    queue.add('a', 'change');
    await advance(0);
    assert.equal(passes.length, 3);
    await advance(59_000);
    assert.equal(passes.length, 3);
  });

  it('looks again after the time that a pass asked for, and sooner when something changes', async () => {
    const { queue, passes, advance } = startQueue({ answer: () => ({ next: 'again', afterMs: 30_000 }) });
    queue.add('a', 'change');
    await advance(29_999);
    assert.equal(passes.length, 1);
    await advance(1);
    assert.equal(passes.length, 2);
    queue.add('a', 'change');
    await advance(0);
    assert.equal(passes.length, 3);
  });

  it('tries a conflict again at once, but not for ever', async () => {
    const { queue, passes, advance } = startQueue({ answer: () => failed('conflict') });
    queue.add('a', 'change');
    for (let turn = 0; turn < 50; turn += 1) await advance(0);
    assert.equal(passes.length, 6);
  });

  it('does not wake an invalid key by itself, and loses no change about it', async () => {
    const { queue, passes, advance } = startQueue({
      answer: (_, pass) => (pass === 1 ? failed('invalid') : { next: 'rest' }),
    });
    queue.add('a', 'change');
    await advance(3_600_000);
    assert.equal(passes.length, 1);
    queue.add('a', 'change');
    await advance(0);
    assert.equal(passes.length, 2);
  });

  it('has a defined wait for every kind of error', async (t) => {
    const WITHIN_MS: Readonly<Record<ErrorKind, readonly [number, number]>> = {
      invalid: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      'not-found': [1_000, 2_000],
      exists: [1_000, 2_000],
      conflict: [0, 0],
      unavailable: [1_000, 2_000],
      throttled: [7_000, 7_000],
      'no-capacity': [30_000, 30_000],
      denied: [60_000, 60_000],
      contract: [1_000, 2_000],
      cancelled: [1_000, 2_000],
      bug: [1_000, 2_000],
    };
    for (const kind of ERROR_KINDS) {
      await t.test(`${kind}: ${ERROR_BEHAVIOUR[kind].queue.do}`, async () => {
        const [leastMs, mostMs] = WITHIN_MS[kind];
        const { queue, passes, advance } = startQueue({
          answer: (_, pass) => (pass === 1 ? failed(kind, 7_000) : { next: 'rest' }),
        });
        queue.add('a', 'change');
        await advance(0);
        await advance(Math.max(Math.min(leastMs, 3_600_000) - 1, 0));
        assert.equal(passes.length, leastMs === 0 ? 2 : 1);
        await advance(Math.min(mostMs, 3_600_000) - Math.min(leastMs, 3_600_000) + 1);
        assert.equal(passes.length, Number.isFinite(mostMs) ? 2 : 1);
      });
    }
  });

  it('takes a pass that throws as a failure, not as its own end', async () => {
    const { queue, passes, advance } = startQueue({
      answer: (_, pass) => {
        if (pass === 1) throw new Error('a bug');
        return { next: 'rest' };
      },
    });
    queue.add('a', 'change');
    await advance(0);
    await advance(2_000);
    assert.equal(passes.length, 2);
  });

  it('ends only when the passes under way have ended, and starts none after', async () => {
    const last = gate();
    const { queue, passes, stop, ended, advance } = startQueue({ answer: () => last.promise });
    queue.add('a', 'change');
    queue.add('b', 'change');
    await advance(0);
    let isOver = false;
    const over = ended.then(() => {
      isOver = true;
    });
    stop.abort();
    await advance(0);
    assert.equal(isOver, false);
    last.open();
    await over;
    assert.deepEqual(passes, ['a']);
  });

  it('loses none of 1,000 keys in 100,000 adds', async () => {
    const { queue, passes, advance } = startQueue({ workers: 8, answer: async () => ({ next: 'rest' }) });
    const lastAdd = new Map<string, number>();
    for (let at = 0; at < 100_000; at += 1) {
      const key = `key-${(at * 7919) % 1_000}`;
      queue.add(key, at % 3 === 0 ? 'resync' : 'change');
      lastAdd.set(key, passes.length);
    }
    await advance(0);
    await advance(0);
    assert.equal(lastAdd.size, 1_000);
    for (const [key, before] of lastAdd)
      assert.ok(passes.lastIndexOf(key) >= before, `${key} got no pass after its last add`);
    assert.equal(queue.depth, 0);
    assert.equal(queue.remembered, 0);
  });

  it('wakes a key at the earliest of the times that were asked for', async () => {
    const { queue, passes, advance } = startQueue();
    queue.addAfter('a', 5_000);
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 30_000);
    await advance(1_000);
    assert.equal(passes.length, 1);
  });
});
