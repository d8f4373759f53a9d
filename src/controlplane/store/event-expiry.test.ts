import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toMicroTimestamp, toTimestamp } from '../../base/clock.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { startEventExpiry } from './event-expiry.ts';
import { createStore } from './store.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const rows = [
  { story: 'that was seen once', later: () => ({}), isLeft: false },
  {
    story: 'that was seen again half an hour later',
    later: (atMs: number) => ({ lastTimestamp: toTimestamp(atMs) }),
    isLeft: true,
  },
  {
    story: 'whose series went on half an hour later',
    later: (atMs: number) => ({ series: { count: 2, lastObservedTime: toMicroTimestamp(atMs) } }),
    isLeft: true,
  },
];

for (const { story, later, isLeft } of rows) {
  test(`an event ${story} is ${isLeft ? 'kept' : 'gone'} after an hour`, () => {
    const clock = createManualClock();
    const store = createStore();
    const stop = startEventExpiry(store, clock);
    const seen: string[] = [];
    store.subscribe('/events', ({ type }) => seen.push(type));
    const creationTimestamp = toTimestamp(clock.now());
    const metadata = { name: 'e', namespace: 'default', creationTimestamp };
    store.put('/events', { apiVersion: 'v1', kind: 'Event', metadata, ...later(clock.now() + HOUR_MS / 2) });
    store.put('/pods', { apiVersion: 'v1', kind: 'Pod', metadata });
    clock.advance(HOUR_MS - MINUTE_MS);
    assert.equal(store.list('/events').length, 1, 'before the hour is over');
    clock.advance(2 * MINUTE_MS);
    assert.equal(store.list('/events').length, isLeft ? 1 : 0);
    assert.deepEqual(seen, isLeft ? ['ADDED'] : ['ADDED', 'DELETED']);
    clock.advance(HOUR_MS);
    assert.equal(store.list('/events').length, 0);
    assert.equal(store.list('/pods').length, 1, 'only events end by themselves');
    stop();
    assert.equal(clock.timers, 0);
  });
}
