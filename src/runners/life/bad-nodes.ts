/**
 * Macs on which runners die one after the other. The emptiest Mac is where the next one would go, and a broken one is always empty (R14);
 * so for a while runners would rather be elsewhere. It is a wish, never a must: where there is no other Mac, they go there all the same.
 */
import type { Clock } from '../../base/clock.ts';

export interface BadNodes {
  /** A runner died there; says whether that makes the Mac a bad one. */
  died(nodeName: string): boolean;
  /** One ended well there: whatever it was is over. */
  endedWell(nodeName: string): void;
  /** By name. */
  list(): readonly string[];
}

/** So many in so long a time, and none that ended well in between. */
const DEATHS = 3;
const WITHIN_MS = 15 * 60_000;
/** A Pod names no more; when that many are bad, it is not the Macs. */
const LISTED_MAX = 20;

export const createBadNodes = (clock: Pick<Clock, 'elapsed'>): BadNodes => {
  const deaths = new Map<string, readonly number[]>();
  const recent = (nodeName: string): readonly number[] =>
    (deaths.get(nodeName) ?? []).filter((atMs) => clock.elapsed() - atMs < WITHIN_MS);
  return {
    died: (nodeName) => {
      const times = [...recent(nodeName), clock.elapsed()].slice(-DEATHS);
      const wasBad = recent(nodeName).length >= DEATHS;
      deaths.set(nodeName, times);
      return !wasBad && times.length >= DEATHS;
    },
    endedWell: (nodeName) => void deaths.delete(nodeName),
    list: () => {
      for (const nodeName of [...deaths.keys()]) if (recent(nodeName).length === 0) deaths.delete(nodeName);
      return [...deaths.keys()]
        .filter((nodeName) => recent(nodeName).length >= DEATHS)
        .toSorted()
        .slice(0, LISTED_MAX);
    },
  };
};
