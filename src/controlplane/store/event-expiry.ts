/** Events are news, not state: an hour after the last time one was seen it is removed, as a real cluster does it. */
import { type Clock, parseTimestamp } from '../../base/clock.ts';
import { isRecord } from '../../base/json.ts';
import type { StoredObject } from './object.ts';
import type { Entry, Store } from './store.ts';

const COLLECTION = '/events';
const LIFE_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;

/** Looks now and then, until the returned function is called. */
export const startEventExpiry = (store: Store, clock: Clock): (() => void) => {
  let cancel = (): void => undefined;
  const seenMs = new WeakMap<Entry, number>();
  const look = (): void => {
    removeOldEvents(store, seenMs, clock.now());
    cancel = clock.schedule(LOOK_EVERY_MS, look);
  };
  cancel = clock.schedule(LOOK_EVERY_MS, look);
  return () => cancel();
};

/** Each state of an event is read once: there may be thousands, and most have long to live. */
const removeOldEvents = (store: Store, seenMs: WeakMap<Entry, number>, nowMs: number): void => {
  for (const entry of store.list(COLLECTION)) {
    const atMs = seenMs.get(entry) ?? lastSeenMs(entry.object);
    seenMs.set(entry, atMs);
    if (nowMs - atMs > LIFE_MS) store.remove(COLLECTION, entry.object);
  }
};

/** The latest of all times that an event of either API version tells; an event without any is as old as can be. */
const lastSeenMs = ({ metadata, series, ...event }: StoredObject): number => {
  const told = [
    metadata.creationTimestamp,
    event['lastTimestamp'],
    event['deprecatedLastTimestamp'],
    event['eventTime'],
    isRecord(series) ? series['lastObservedTime'] : undefined,
  ];
  return Math.max(0, ...told.map((time) => (typeof time === 'string' ? (parseTimestamp(time) ?? 0) : 0)));
};
