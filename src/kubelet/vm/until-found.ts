/** Waits for something to appear in a folder: told by the filesystem, and looked for steadily in case it does not tell. */
import type { Clock } from '../../base/clock.ts';
import type { HostFiles } from '../host/host-files.ts';

export interface Search<T> {
  readonly files: HostFiles;
  readonly clock: Clock;
  /** It need not exist. */
  readonly folder: string;
  /** Undefined while it is not there. What it throws counts as not there: the next look may succeed. */
  readonly look: () => Promise<T | undefined>;
  readonly lookEveryMs: number;
  /** When aborted, the search ends without a find. */
  readonly signal: AbortSignal;
}

/** Undefined only after an abort. Never rejects. */
export const untilFound = <T>(search: Search<T>): Promise<T | undefined> => {
  const { files, clock, folder, look, lookEveryMs, signal } = search;
  return new Promise((resolve) => {
    let cancelTimer = (): void => undefined;
    let isOver = false;
    const finish = (found: T | undefined): void => {
      isOver = true;
      cancelTimer();
      stopWatching();
      signal.removeEventListener('abort', onAbort);
      resolve(found);
    };
    const onAbort = (): void => finish(undefined);
    const check = async (): Promise<void> => {
      const found = isOver ? undefined : await look().catch(() => undefined);
      if (!isOver && found !== undefined) finish(found);
    };
    const checkSteadily = (): void => {
      cancelTimer = clock.schedule(lookEveryMs, () => {
        checkSteadily();
        void check();
      });
    };
    const stopWatching = watchIfThere(files, folder, () => void check());
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) return onAbort();
    checkSteadily();
    void check();
    return undefined;
  });
};

const watchIfThere = (files: HostFiles, folder: string, onChange: () => void): (() => void) => {
  try {
    return files.watch(folder, onChange);
  } catch {
    return () => undefined;
  }
};
