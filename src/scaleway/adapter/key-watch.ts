/** Whether Scaleway takes our API key, by how the latest list of servers ended: a manager whose key is refused is not ready. */
import { type Clock, sleep } from '../../base/clock.ts';
import type { CloudObserver } from './observed-cloud.ts';

export interface KeyWatch extends Pick<CloudObserver, 'called'> {
  /** Undefined while nothing is wrong with the key, also when Scaleway cannot be reached. */
  notReadyBecause(): string | undefined;
  /** Asks until the key is taken: a standby would not ask by itself. */
  ask(list: () => Promise<unknown>, signal: AbortSignal): Promise<void>;
}

/** A rotated Secret is read again sooner than that. */
const AGAIN_MS = 15_000;

export const createKeyWatch = (clock: Clock): KeyWatch => {
  let latest: Parameters<CloudObserver['called']>[1] | undefined;
  const notReadyBecause = (): string | undefined => {
    if (latest === undefined) return 'waiting for the first answer of Scaleway';
    return latest === 'denied' ? 'Scaleway refuses the API key, or lets it list no Macs' : undefined;
  };
  return {
    notReadyBecause,
    called: (verb, outcome) => {
      if (verb === 'listServers') latest = outcome;
    },
    ask: async (list, signal) => {
      // How it ended was told to `called`; nobody else needs the list, or its error.
      while (!signal.aborted && notReadyBecause() !== undefined) {
        await list().catch(() => undefined);
        if (notReadyBecause() !== undefined) await sleep(clock, AGAIN_MS, signal).catch(() => undefined);
      }
    },
  };
};
