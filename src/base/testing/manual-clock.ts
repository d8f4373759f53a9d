/** A Clock that stands still until a test moves it. */
import type { Clock } from '../clock.ts';

export interface ManualClock extends Clock {
  /** Moves on, running due timers in order, each at its own time. Timers set meanwhile run too if they become due. */
  advance(ms: number): void;
  /** Shifts the wall clock alone, as an operator or NTP does. */
  shiftWall(ms: number): void;
  readonly timers: number;
}

export const createManualClock = (wallMs = Date.UTC(2026, 0, 1)): ManualClock => {
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  let elapsedMs = 0;
  let shiftMs = 0;

  const nextDue = (untilMs: number) =>
    [...timers].filter(({ atMs }) => atMs <= untilMs).sort((left, right) => left.atMs - right.atMs)[0];

  return {
    now: () => wallMs + shiftMs + elapsedMs,
    elapsed: () => elapsedMs,
    schedule: (delayMs, run) => {
      const timer = { atMs: elapsedMs + Math.max(delayMs, 0), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const untilMs = elapsedMs + ms;
      for (let due = nextDue(untilMs); due !== undefined; due = nextDue(untilMs)) {
        timers.delete(due);
        elapsedMs = due.atMs;
        due.run();
      }
      elapsedMs = untilMs;
    },
    shiftWall: (ms) => {
      shiftMs += ms;
    },
    get timers() {
      return timers.size;
    },
  };
};
