/** Something that happens a known number of times: when it began and when it was over. */
import { cpuMs } from './usage.ts';

export interface Countdown {
  /** Call it each time the thing happens. */
  tick(): void;
  /** From the first call to the last. */
  readonly done: Promise<{ readonly elapsedMs: number; readonly cpuMs: number }>;
}

export const createCountdown = (times: number): Countdown => {
  const { promise, resolve } = Promise.withResolvers<{ elapsedMs: number; cpuMs: number }>();
  const begin = { atMs: 0, cpuMs: 0 };
  let left = times;
  return {
    tick: () => {
      if (left === times) Object.assign(begin, { atMs: performance.now(), cpuMs: cpuMs() });
      left -= 1;
      if (left === 0) resolve({ elapsedMs: performance.now() - begin.atMs, cpuMs: cpuMs() - begin.cpuMs });
    },
    done: promise,
  };
};
