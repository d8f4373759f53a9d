/** The real clock's timers, sleeping, and Kubernetes' two ways to write a time. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { createSystemClock, parseTimestamp, sleep, toMicroTimestamp, toTimestamp } from './clock.ts';
import { createManualClock } from './testing/manual-clock.ts';

const LONGEST_MS = 2 ** 31 - 1;
const DAY_MS = 86_400_000;

/** Stands in for the platform's timers: records each delay, and fires when told to. */
const replaceTimers = (context: TestContext) => {
  const delays: number[] = [];
  let pending: (() => void) | undefined;
  context.mock.method(globalThis, 'setTimeout', (run: () => void, delayMs: number) => {
    delays.push(delayMs);
    pending = run;
  });
  context.mock.method(globalThis, 'clearTimeout', () => {
    pending = undefined;
  });
  const fire = (): void => {
    const run = pending;
    pending = undefined;
    run?.();
  };
  return { delays, fire, isPending: () => pending !== undefined };
};

describe('the system clock', () => {
  test('runs a short timer once', (context) => {
    const timers = replaceTimers(context);
    let runs = 0;
    createSystemClock().schedule(500, () => {
      runs += 1;
    });
    timers.fire();
    assert.deepEqual([timers.delays, runs, timers.isPending()], [[500], 1, false]);
  });

  test('waits 60 days although the platform cannot: it would fire at once', (context) => {
    const timers = replaceTimers(context);
    let runs = 0;
    createSystemClock().schedule(60 * DAY_MS, () => {
      runs += 1;
    });
    timers.fire();
    timers.fire();
    assert.equal(runs, 0);
    timers.fire();
    assert.equal(runs, 1);
    assert.deepEqual(timers.delays, [LONGEST_MS, LONGEST_MS, 60 * DAY_MS - 2 * LONGEST_MS]);
  });

  test('takes a long timer back in its second leg', (context) => {
    const timers = replaceTimers(context);
    const cancel = createSystemClock().schedule(30 * DAY_MS, () => assert.fail('was taken back'));
    timers.fire();
    cancel();
    assert.equal(timers.isPending(), false);
  });

  test('treats a time in the past as now', (context) => {
    const timers = replaceTimers(context);
    createSystemClock().schedule(-5, () => undefined);
    assert.deepEqual(timers.delays, [0]);
  });

  test('has a wall clock in this century and a monotonic clock that does not go back', () => {
    const clock = createSystemClock();
    const before = clock.elapsed();
    assert.ok(clock.now() > Date.UTC(2020));
    assert.ok(clock.elapsed() >= before);
  });
});

describe('sleeping', () => {
  test('ends when the time is over, and leaves nothing behind', async () => {
    const clock = createManualClock();
    const { signal } = new AbortController();
    const asleep = sleep(clock, 1_000, signal);
    clock.advance(1_000);
    await asleep;
    assert.deepEqual([clock.timers, getEventListeners(signal, 'abort').length], [0, 0]);
  });

  test('is cut short by an abort, and leaves no timer', async () => {
    const clock = createManualClock();
    const controller = new AbortController();
    const asleep = sleep(clock, 1_000, controller.signal);
    controller.abort();
    await assert.rejects(asleep, { kind: 'cancelled' });
    assert.equal(clock.timers, 0);
  });

  test('does not begin under a signal that is aborted', async () => {
    const clock = createManualClock();
    await assert.rejects(sleep(clock, 1_000, AbortSignal.abort()), { kind: 'cancelled' });
    assert.equal(clock.timers, 0);
  });
});

describe('a timestamp', () => {
  const AT_MS = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

  test('is written with seconds, or with microseconds', () => {
    assert.equal(toTimestamp(AT_MS), '2026-02-03T04:05:06Z');
    assert.equal(toMicroTimestamp(AT_MS), '2026-02-03T04:05:06.789000Z');
  });

  const good = [
    ['2026-02-03T04:05:06Z', AT_MS - 789],
    ['2026-02-03T04:05:06.789000Z', AT_MS],
    ['2026-02-03T04:05:06.789123456Z', AT_MS],
    ['2026-02-03T06:05:06+02:00', AT_MS - 789],
  ] as const;
  for (const [text, atMs] of good) test(`${text} is read`, () => assert.equal(parseTimestamp(text), atMs));

  const bad = [
    '',
    'soon',
    '1',
    '2026',
    '2026-02-03',
    '2026-02-03T04:05:06',
    '2026-13-03T04:05:06Z',
    'Tue, 03 Feb 2026 04:05:06 GMT',
  ];
  for (const text of bad) test(`"${text}" is no RFC 3339 time`, () => assert.equal(parseTimestamp(text), undefined));

  test('that is absent stays absent', () => assert.equal(parseTimestamp(undefined), undefined));
});
