/** Cancellation and deadlines on a clock that the test moves. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { abortable, linkedController, neverAborted, throwIfAborted, withDeadline, withTimeLimit } from './abort.ts';
import { FleetError } from './errors.ts';
import { createManualClock } from './testing/manual-clock.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
const REASON = new FleetError('denied', { code: 'Fired', message: 'told to stop' });

describe('throwIfAborted', () => {
  test('passes while nobody aborted', () => assert.doesNotThrow(() => throwIfAborted(neverAborted())));
  test('throws the reason when it is one of ours', () => {
    assert.throws(() => throwIfAborted(AbortSignal.abort(REASON)), REASON);
  });
  test('throws a cancellation for any other reason', () => {
    assert.throws(() => throwIfAborted(AbortSignal.abort('why not')), { kind: 'cancelled' });
  });
});

describe('a linked controller', () => {
  test('is aborted with its parent, for the same reason', () => {
    const parent = new AbortController();
    const { signal } = linkedController(parent.signal);
    parent.abort(REASON);
    assert.equal(signal.reason, REASON);
  });

  test('is aborted at once under a parent that is', () => {
    assert.equal(linkedController(AbortSignal.abort(REASON)).signal.reason, REASON);
  });

  test('does not abort its parent', () => {
    const parent = new AbortController();
    linkedController(parent.signal).abort(REASON);
    assert.equal(parent.signal.aborted, false);
  });

  test('leaves no listener behind once released', () => {
    const parent = new AbortController();
    const linked = linkedController(parent.signal);
    linked.release();
    assert.equal(listeners(parent.signal), 0);
    parent.abort();
    assert.equal(linked.signal.aborted, false);
  });
});

describe('abortable work', () => {
  test('gives its result, and listens no longer', async () => {
    const { signal } = new AbortController();
    assert.equal(await abortable(Promise.resolve(7), signal), 7);
    await Promise.resolve();
    assert.equal(listeners(signal), 0);
  });

  test('passes its failure on', async () => {
    await assert.rejects(abortable(Promise.reject(new Error('broken')), neverAborted()), /broken/);
  });

  test('is left behind as soon as the signal is aborted', async () => {
    const controller = new AbortController();
    const result = abortable(never(), controller.signal);
    controller.abort(REASON);
    await assert.rejects(result, REASON);
  });

  test('may fail later without anybody being told', async () => {
    const late = Promise.withResolvers<never>();
    await assert.rejects(abortable(late.promise, AbortSignal.abort()), { kind: 'cancelled' });
    late.reject(new Error('too late'));
    await late.promise.catch(() => undefined);
  });
});

describe('work with a deadline', () => {
  const setUp = () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const deadline = { clock, timeoutMs: 30_000, signal: controller.signal, doing: 'listing pods' };
    return { clock, controller, deadline };
  };

  test('gives its result in time, and leaves neither timer nor listener', async () => {
    const { clock, controller, deadline } = setUp();
    assert.equal(await withDeadline(deadline, () => Promise.resolve('pods')), 'pods');
    assert.deepEqual([clock.timers, listeners(controller.signal)], [0, 0]);
  });

  test('ends as unavailable when time is up, says what was being done, and aborts the work', async () => {
    const { clock, controller, deadline } = setUp();
    let seen: AbortSignal | undefined;
    const result = withDeadline(deadline, (signal) => {
      seen = signal;
      return never();
    });
    clock.advance(29_999);
    assert.equal(seen?.aborted, false);
    clock.advance(1);
    assert.equal(seen?.aborted, true);
    const expected = {
      kind: 'unavailable',
      code: 'DeadlineExceeded',
      message: 'listing pods took longer than 30000 ms',
    };
    await assert.rejects(result, expected);
    assert.deepEqual([clock.timers, listeners(controller.signal)], [0, 0]);
  });

  test("ends with the caller's reason when the caller aborts", async () => {
    const { clock, controller, deadline } = setUp();
    const result = withDeadline(deadline, never);
    controller.abort(REASON);
    await assert.rejects(result, REASON);
    assert.equal(clock.timers, 0);
  });

  test('does not begin under a signal that is aborted', async () => {
    const { clock, deadline } = setUp();
    let began = 0;
    const result = withDeadline({ ...deadline, signal: AbortSignal.abort() }, async () => {
      began += 1;
    });
    await assert.rejects(result, { kind: 'cancelled' });
    assert.deepEqual([began, clock.timers], [0, 0]);
  });

  test('passes on what the work throws, and cleans up', async () => {
    const { clock, deadline } = setUp();
    await assert.rejects(
      withDeadline(deadline, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.equal(clock.timers, 0);
  });
});

describe('work with a time limit', () => {
  const setUp = () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const limit = { clock, timeoutMs: 1_000, signal: controller.signal, doing: 'writing' };
    const end = Promise.withResolvers<string>();
    return { clock, controller, limit, end };
  };

  test('is waited for past its limit, so that nothing goes on behind the caller', async () => {
    const { clock, limit, end } = setUp();
    let isOver = false;
    const result = withTimeLimit(limit, () => end.promise).finally(() => {
      isOver = true;
    });
    clock.advance(5_000);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    assert.equal(isOver, false);
    end.resolve('done after all');
    assert.equal(await result, 'done after all');
  });

  test('is told when its time is up, and what it then throws becomes unavailable', async () => {
    const { clock, controller, limit, end } = setUp();
    const result = withTimeLimit(limit, (signal) => {
      signal.addEventListener('abort', () => end.reject(new Error('gave up')));
      return end.promise;
    });
    clock.advance(1_000);
    await assert.rejects(result, { kind: 'unavailable', code: 'DeadlineExceeded', message: /^writing took longer/ });
    assert.deepEqual([clock.timers, listeners(controller.signal)], [0, 0]);
  });

  test('passes on what it throws in time', async () => {
    const { clock, limit } = setUp();
    await assert.rejects(
      withTimeLimit(limit, () => Promise.reject(REASON)),
      REASON,
    );
    assert.equal(clock.timers, 0);
  });
});
