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
  return new PlaceLimiter(placesMax);
};

/** Every client and agent has some of them, of which most never make anybody wait. */
class PlaceLimiter implements Limiter {
  readonly #placesMax: number;
  #active = 0;
  #waiting: Set<() => void> | undefined;

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#waiting?.size ?? 0;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const turn = this.#takePlace(signal);
    if (turn !== undefined) await turn;
    try {
      return await work();
    } finally {
      this.#leavePlace();
    }
  }

  #takePlace(signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted) return Promise.reject(cancelled());
    if (this.#active < this.#placesMax) {
      this.#active += 1;
      return undefined;
    }
    this.#waiting ??= new Set();
    const waiting = this.#waiting;
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
  }

  /** The place passes straight to the longest waiter, so `active` stays as it is then. */
  #leavePlace(): void {
    const [next] = this.#waiting ?? [];
    if (next === undefined) {
      this.#active -= 1;
      return;
    }
    this.#waiting?.delete(next);
    next();
  }
}
