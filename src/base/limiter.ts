/** Bounded concurrency: at most so many pieces of work at once, first come first served. */
import { assert, cancelled } from './errors.ts';

export interface Limiter {
  /** Runs `work` when a place is free. An abort while waiting gives the place up and rejects with `cancelled`. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  readonly active: number;
  readonly waiting: number;
}

export const createLimiter = (placesMax: number): Limiter => {
  assert(placesMax >= 1, `a limiter needs at least one place, got ${placesMax}`);
  const waiting = new Set<() => void>();
  let active = 0;

  const takePlace = (signal: AbortSignal): Promise<void> | undefined => {
    if (signal.aborted) return Promise.reject(cancelled());
    if (active < placesMax) {
      active += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(wake);
        reject(cancelled());
      };
      const wake = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  };

  /** The place passes straight to the longest waiter, so `active` stays as it is then. */
  const leavePlace = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      active -= 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    run: async (work, signal) => {
      const turn = takePlace(signal);
      if (turn !== undefined) await turn;
      try {
        return await work();
      } finally {
        leavePlace();
      }
    },
    get active() {
      return active;
    },
    get waiting() {
      return waiting.size;
    },
  };
};
