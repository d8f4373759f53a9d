/**
 * Gives memory back once a burst of requests is over. The engine keeps what it grew to for the next burst, which for a
 * process that mostly waits is half of its memory; collecting takes a moment in which nothing is answered, so it waits for
 * a time when nobody asks.
 */
import type { Clock } from '../base/clock.ts';

export interface Heap {
  /** What the heap takes of the machine's memory, used or not. */
  sizeBytes(): number;
  /** The share of the time since the last look in which something was done. */
  busyShare(): number;
  /** Undefined where the process was started without it. */
  readonly collect: (() => void) | undefined;
  /** Called at every look, also when nothing is new. */
  setGrowth(growth: Growth): void;
}

/**
 * How the heap may grow. `burst`: the space for new objects as the engine wants it, so that most of them die young, and no more than half as much
 * again as is in use before it collects; the engine itself lets three times as much pile up, and what the allocator had to give for that never came back.
 * `calm`: the space for new objects stays as it is, where the engine would fill whatever it once grew to.
 */
export type Growth = 'burst' | 'calm';

const LOOK_EVERY_MS = 5_000;
const IDLE_SHARE = 0.1;
/** A large fleet is never quite idle, for its heartbeats alone: up to here it is collected too, but rarely. */
const HEARTBEATS_SHARE = 0.2;
/** And up to here for twice as much. */
const CALM_SHARE = 0.4;
const CALM_GROWTH = 2;
const CALM_LOOKS = 12;
const MIB = 1024 * 1024;
/** Less is not worth the moment: in a process that answers people, and in one whose moments nobody waits for. */
export const GROWTH_BYTES = { server: 32 * MIB, controller: 8 * MIB } as const;

/** Looks now and then, until the returned function is called. */
export const startIdleCollection = (
  clock: Pick<Clock, 'schedule'>,
  heap: Heap,
  growthBytes: number = GROWTH_BYTES.server,
): (() => void) => {
  const { collect } = heap;
  if (collect === undefined) return () => undefined;
  heap.setGrowth('burst');
  let leftBytes = heap.sizeBytes();
  let looks = CALM_LOOKS;
  const isWorthIt = (busyShare: number, grownBytes: number): boolean => {
    if (busyShare < IDLE_SHARE) return grownBytes >= growthBytes;
    if (looks <= CALM_LOOKS) return false;
    if (busyShare < HEARTBEATS_SHARE) return grownBytes >= growthBytes;
    return busyShare < CALM_SHARE && grownBytes >= CALM_GROWTH * growthBytes;
  };
  const look = (): void => {
    cancel = clock.schedule(LOOK_EVERY_MS, look);
    looks += 1;
    const busyShare = heap.busyShare();
    heap.setGrowth(busyShare < CALM_SHARE ? 'calm' : 'burst');
    if (!isWorthIt(busyShare, heap.sizeBytes() - leftBytes)) return;
    const beforeBytes = heap.sizeBytes();
    collect();
    const afterBytes = heap.sizeBytes();
    // One collection moves only so many objects together: where it gave much back, the next look goes on with it.
    const isMoreLikely = beforeBytes - afterBytes >= growthBytes;
    leftBytes = isMoreLikely ? afterBytes - CALM_GROWTH * growthBytes : afterBytes;
    looks = isMoreLikely ? CALM_LOOKS : 0;
  };
  let cancel = clock.schedule(LOOK_EVERY_MS, look);
  return () => cancel();
};
