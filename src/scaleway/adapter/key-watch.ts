/** Whether Scaleway takes our API key, by how the latest list of servers ended: a manager whose key is refused is not ready. */
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { CloudObserver } from './observed-cloud.ts';

export interface KeyWatch {
  /** Hears how calls end. */
  readonly observer: CloudObserver;
  /** Undefined while nothing is wrong with the key, also when Scaleway cannot be reached. */
  notReadyBecause(): string | undefined;
  /** Asks until the key is taken: a standby would not ask by itself. */
  start(list: (signal: AbortSignal) => Promise<unknown>): { close(): Promise<void> };
}

export interface KeyWatchDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears everything too. */
  readonly observer: CloudObserver;
}

/** A rotated Secret is read again sooner than that. */
const AGAIN_MS = 15_000;
const REFUSED = 'Scaleway refuses the API key, or lets it list no Macs';

export const createKeyWatch = ({ clock, logger, observer }: KeyWatchDeps): KeyWatch => {
  let latest: Parameters<CloudObserver['called']>[1] | undefined;
  const notReadyBecause = (): string | undefined => {
    if (latest === undefined) return 'waiting for the first answer of Scaleway';
    return latest === 'denied' ? REFUSED : undefined;
  };
  const heard = (outcome: typeof latest): void => {
    const [was, is] = [latest === 'denied', outcome === 'denied'];
    latest = outcome;
    if (is && !was) logger.error(REFUSED, { hint: 'Put the right key into the Secret: it is read without a restart.' });
    if (was && !is) logger.info('Scaleway takes the API key');
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
      ...observer,
      called: (verb, outcome) => {
        if (verb === 'listServers') heard(outcome);
        observer.called(verb, outcome);
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
