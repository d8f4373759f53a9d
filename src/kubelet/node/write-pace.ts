/**
 * How often a Node is written, besides a turn for the worse, which never waits. Whoever denies what it says (deletes it, or writes another status) is told so a few times at once, and then
 * as often as a heartbeat: two that disagree keep neither the API nor each other busy.
 */
export interface WritePace {
  /** How long the next write has to wait. */
  waitMs(nowMs: number): number;
  note(nowMs: number): void;
}

/** A start takes three or four. */
const WRITES_MAX = 6;
const WITHIN_MS = 60_000;

export const createWritePace = (): WritePace => {
  const times: number[] = [];
  return {
    waitMs: (nowMs) => {
      const [first] = times;
      return first === undefined || times.length < WRITES_MAX ? 0 : Math.max(0, first + WITHIN_MS - nowMs);
    },
    note: (nowMs) => {
      times.push(nowMs);
      if (times.length > WRITES_MAX) times.shift();
    },
  };
};
