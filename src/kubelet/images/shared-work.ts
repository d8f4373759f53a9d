/** Work that several want at the same time and that is done once: it goes on as long as one of them still waits. */
import { abortable } from '../../base/abort.ts';
import { isKind } from '../../base/errors.ts';

export interface Joiner {
  readonly signal: AbortSignal;
  readonly onProgress?: (percent: number) => void;
}

export type SharedJoiner = Required<Joiner>;

export interface SharedWork<T> {
  /** Joins what is under way under this key, or starts it. */
  join(key: string, joiner: Joiner, start: (shared: SharedJoiner) => Promise<T>): Promise<T>;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly waiting: Set<Joiner>;
  readonly controller: AbortController;
}

export const createSharedWork = <T>(): SharedWork<T> => {
  const flights = new Map<string, Flight<T>>();
  const start = (key: string, run: (shared: SharedJoiner) => Promise<T>): Flight<T> => {
    const controller = new AbortController();
    const waiting = new Set<Joiner>();
    let last = -1;
    const onProgress = (percent: number): void => {
      if (percent === last) return;
      last = percent;
      for (const joiner of waiting) joiner.onProgress?.(percent);
    };
    const result = run({ signal: controller.signal, onProgress }).finally(() => flights.delete(key));
    // Everybody may have left.
    result.catch(() => undefined);
    const flight = { result, waiting, controller };
    flights.set(key, flight);
    return flight;
  };
  const wait = async (flight: Flight<T>, joiner: Joiner): Promise<T> => {
    flight.waiting.add(joiner);
    try {
      return await abortable(flight.result, joiner.signal);
    } finally {
      flight.waiting.delete(joiner);
      if (flight.waiting.size === 0) flight.controller.abort();
    }
  };
  return {
    join: async (key, joiner, run) => {
      const found = flights.get(key);
      if (found === undefined) return wait(start(key, run), joiner);
      try {
        return await wait(found, joiner);
      } catch (thrown) {
        // Another's login may be the wrong one, and another may have given up just as we came.
        const isTheirs = isKind(thrown, 'denied') || (isKind(thrown, 'cancelled') && !joiner.signal.aborted);
        if (!isTheirs) throw thrown;
        return wait(flights.get(key) ?? start(key, run), joiner);
      }
    },
  };
};
