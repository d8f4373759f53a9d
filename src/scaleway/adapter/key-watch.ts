/** Whether Scaleway takes our API key, by how the latest list of servers ended: a manager whose key is refused is not ready. */
import { type Clock, sleep } from '../../base/clock.ts';
import type { CloudObserver } from './observed-cloud.ts';

export interface KeyWatch {
  /** Hears how calls end, and tells the other observer. */
  readonly observer: CloudObserver;
  /** Undefined while nothing is wrong with the key, also when Scaleway cannot be reached. */
  notReadyBecause(): string | undefined;
  /** Asks until the key is taken: a standby would not ask by itself. */
  start(list: (signal: AbortSignal) => Promise<unknown>): { close(): Promise<void> };
}

/** A rotated Secret is read again sooner than that. */
const AGAIN_MS = 15_000;

export const createKeyWatch = (clock: Clock, other: CloudObserver): KeyWatch => {
  let latest: Parameters<CloudObserver['called']>[1] | undefined;
  const notReadyBecause = (): string | undefined => {
    if (latest === undefined) return 'waiting for the first answer of Scaleway';
    return latest === 'denied' ? 'Scaleway refuses the API key, or lets it list no Macs' : undefined;
  };
  const ask = async (list: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && notReadyBecause() !== undefined) {
      // How it ended was told to the observer; nobody else needs the list, or its error.
      await list(signal).catch(() => undefined);
      if (notReadyBecause() !== undefined) await sleep(clock, AGAIN_MS, signal).catch(() => undefined);
    }
  };
  return {
    notReadyBecause,
    observer: {
      ...other,
      called: (verb, outcome) => {
        if (verb === 'listServers') latest = outcome;
        other.called(verb, outcome);
      },
    },
    start: (list) => {
      const life = new AbortController();
      const ended = ask(list, life.signal);
      return {
        close: async () => {
          life.abort();
          await ended;
        },
      };
    },
  };
};
