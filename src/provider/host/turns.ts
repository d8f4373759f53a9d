/**
 * Who may put a write to its server on record, with its claim or later: as many Macs as can be served soon, one after the other. The
 * record of a write is good for a while only (R13): were all of a large fleet put on record at once, most would grow too old in the line for
 * the cloud, and be written and looked at again.
 */
import type { Clock } from '../../base/clock.ts';

export interface Turns {
  /** Whether it is its turn. If not, nothing is to be written; it is woken when it may be. */
  take(key: string): boolean;
  /** Its write was sent, or is not wanted any more. */
  end(key: string): void;
}

export interface TurnOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** So many have their turn at a time. */
  readonly places: number;
  /** A turn that nobody ended is over after so long: its record is too old by then. */
  readonly goodForMs: number;
  readonly wake: (key: string) => void;
}

export const createTurns = ({ clock, places, goodForMs, wake }: TurnOptions): Turns => {
  const sinceMs = new Map<string, number>();
  const waiting = new Set<string>();
  const wakeNext = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    wake(next);
  };
  const dropStale = (nowMs: number): void => {
    for (const [key, since] of sinceMs) if (nowMs - since >= goodForMs) sinceMs.delete(key);
  };
  return {
    take: (key) => {
      const nowMs = clock.elapsed();
      if (sinceMs.size >= places) dropStale(nowMs);
      const isMine = sinceMs.has(key) || sinceMs.size < places;
      if (isMine) {
        waiting.delete(key);
        sinceMs.set(key, nowMs);
      } else waiting.add(key);
      return isMine;
    },
    end: (key) => {
      waiting.delete(key);
      if (sinceMs.delete(key)) wakeNext();
    },
  };
};
