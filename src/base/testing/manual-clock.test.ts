/** The clock that tests move: what other tests rely on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createManualClock } from './manual-clock.ts';

describe('the manual clock', () => {
  test('runs due timers in the order of their times, each at its own time', () => {
    const clock = createManualClock(1_000);
    const seen: unknown[] = [];
    clock.schedule(30, () => seen.push(['late', clock.now(), clock.elapsed()]));
    clock.schedule(10, () => seen.push(['early', clock.now(), clock.elapsed()]));
    clock.schedule(41, () => seen.push('not yet'));
    clock.advance(40);
    assert.deepEqual(seen, [
      ['early', 1_010, 10],
      ['late', 1_030, 30],
    ]);
    assert.deepEqual([clock.now(), clock.timers], [1_040, 1]);
  });

  test('runs timers of the same time in the order in which they were set', () => {
    const clock = createManualClock();
    const seen: string[] = [];
    for (const name of ['a', 'b', 'c']) clock.schedule(5, () => seen.push(name));
    clock.advance(5);
    assert.deepEqual(seen, ['a', 'b', 'c']);
  });

  test('runs a timer that was set meanwhile if it becomes due', () => {
    const clock = createManualClock();
    const seen: number[] = [];
    const again = (): void => {
      seen.push(clock.elapsed());
      clock.schedule(10, again);
    };
    clock.schedule(10, again);
    clock.advance(35);
    assert.deepEqual([seen, clock.elapsed()], [[10, 20, 30], 35]);
  });

  test('does not run what was taken back, even by a timer of the same time', () => {
    const clock = createManualClock();
    const cancels: (() => void)[] = [];
    clock.schedule(5, () => cancels[0]?.());
    cancels.push(clock.schedule(5, () => assert.fail('was taken back')));
    clock.advance(5);
    assert.equal(clock.timers, 0);
  });

  test('shifts the wall clock without touching timers and elapsed time', () => {
    const clock = createManualClock(0);
    clock.schedule(100, () => assert.fail('not due'));
    clock.shiftWall(3_600_000);
    clock.advance(50);
    assert.deepEqual([clock.now(), clock.elapsed(), clock.timers], [3_600_050, 50, 1]);
  });
});
