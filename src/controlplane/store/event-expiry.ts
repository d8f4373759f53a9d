/** Events are news, not state: an hour after the last time one was seen it is removed, as a real cluster does it. */
import { type Clock, parseTimestamp } from '../../base/clock.ts';
import { isRecord } from '../../base/json.ts';
import type { StoredObject } from './object.ts';
import type { Store } from './store.ts';

const COLLECTION = '/events';
const LIFE_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;

/** Looks now and then, until the returned function is called. */
export const startEventExpiry = (store: Store, clock: Clock): (() => void) => {
  let cancel = (): void => undefined;
  const look = (): void => {
    removeOldEvents(store, clock.now());
    cancel = clock.schedule(LOOK_EVERY_MS, look);
  };
  cancel = clock.schedule(LOOK_EVERY_MS, look);
  return () => cancel();
};

const removeOldEvents = (store: Store, nowMs: number): void => {
  for (const { object } of store.list(COLLECTION)) {
    if (nowMs - lastSeenMs(object) > LIFE_MS) store.remove(COLLECTION, object);
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
