import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { GROWTH_BYTES, startIdleCollection } from './idle-collection.ts';

const MB = 1024 * 1024;
/** Longer than it takes to look once, shorter than twice. */
const ONE_LOOK_MS = 6_000;

const setGrowth = (): void => undefined;

const rows = [
  { story: 'after a burst', grownMb: 100, busy: 0.02, of: 'server', collections: 1 },
  { story: 'not while requests keep coming', grownMb: 100, busy: 0.5, of: 'server', collections: 0 },
  { story: 'also while a little is done, when there is much', grownMb: 100, busy: 0.3, of: 'server', collections: 1 },
  { story: 'also between the heartbeats of an idle fleet', grownMb: 50, busy: 0.15, of: 'server', collections: 1 },
  { story: 'not while a little is done, when there is less', grownMb: 50, busy: 0.3, of: 'server', collections: 0 },
  { story: 'not when there is little to give back', grownMb: 10, busy: 0, of: 'server', collections: 0 },
  { story: 'a little, by a controller', grownMb: 10, busy: 0, of: 'controller', collections: 1 },
  {
    story: 'not when a controller has next to nothing to give back',
    grownMb: 5,
    busy: 0,
    of: 'controller',
    collections: 0,
  },
] as const;

for (const { story, grownMb, busy, of, collections } of rows) {
  test(`memory is given back: ${story}`, () => {
    const clock = createManualClock();
    let sizeMb = 50;
    let collected = 0;
    const collect = (): void => {
      collected += 1;
      sizeMb = 60;
    };
    const heap = { sizeBytes: () => sizeMb * MB, busyShare: () => busy, collect, setGrowth };
    const stop = startIdleCollection(clock, heap, GROWTH_BYTES[of]);
    sizeMb += grownMb;
    clock.advance(ONE_LOOK_MS);
    assert.equal(collected, collections);
    clock.advance(10 * ONE_LOOK_MS);
    const tries = grownMb * MB - 10 * MB >= GROWTH_BYTES[of] ? 2 * collections : collections;
    assert.equal(collected, tries, 'asked for once more after it gave much, and not again when there was nothing left');
    stop();
    assert.equal(clock.timers, 0);
  });
}

test('memory is given back piece by piece, for as long as a look gives much', () => {
  const clock = createManualClock();
  const sizesMb = [404, 330, 295, 290];
  let sizeMb = 60;
  const collect = (): void => {
    sizeMb = sizesMb.shift() ?? sizeMb;
  };
  const stop = startIdleCollection(clock, {
    sizeBytes: () => sizeMb * MB,
    busyShare: () => 0.2,
    collect,
    setGrowth,
  });
  sizeMb = 558;
  clock.advance(10 * ONE_LOOK_MS);
  assert.deepEqual([sizeMb, sizesMb], [290, []]);
  stop();
});

test('a process that is never idle is not stopped for it more often than once a minute', () => {
  const clock = createManualClock();
  let collected = 0;
  const collect = (): void => {
    collected += 1;
  };
  const sizeBytes = (): number => clock.elapsed() * MB;
  const stop = startIdleCollection(clock, { sizeBytes, busyShare: () => 0.3, collect, setGrowth });
  clock.advance(5 * 60_000);
  assert.ok(collected >= 4 && collected <= 5, `${collected} times in five minutes`);
  stop();
});

test('a process that cannot collect on demand has no timer for it', () => {
  const clock = createManualClock();
  startIdleCollection(clock, { sizeBytes: () => 0, busyShare: () => 0, collect: undefined, setGrowth });
  assert.equal(clock.timers, 0);
});

test('the heap may grow as in a burst from the start and whenever much is done, and not in a process that mostly waits', () => {
  const clock = createManualClock();
  const shares = [0.9, 0.5, 0.2, 0.1, 0.8];
  const told: string[] = [];
  const stop = startIdleCollection(clock, {
    ...{ sizeBytes: () => 0, busyShare: () => shares.shift() ?? 0, collect: () => undefined },
    setGrowth: (growth) => told.push(growth),
  });
  clock.advance(5 * 5_000);
  assert.deepEqual(told, ['burst', 'burst', 'burst', 'calm', 'calm', 'burst']);
  stop();
});
