/** Keeps a simulated cloud in its file: soon after a change, not after each, and always at the end. */
import type { Clock } from '../../base/clock.ts';
import type { SavedCloud } from '../../sim/cloud/saved-cloud.ts';
import { readStateFile, writeStateFile } from './state-file.ts';
import { parseState, renderState } from './state-text.ts';

export interface Keeper {
  /** Undefined when there is nothing yet. */
  read(): SavedCloud | undefined;
  changed(): void;
  save(): void;
  /** Writes what is not written yet. */
  close(): void;
}

export interface KeeperDeps {
  readonly clock: Clock;
  readonly path: string;
  readonly save: () => SavedCloud;
}

const DELAY_MS = 250;

export const createKeeper = ({ clock, path, save }: KeeperDeps): Keeper => {
  let cancel: (() => void) | undefined;
  const write = (): void => {
    cancel?.();
    cancel = undefined;
    writeStateFile(path, renderState(save()));
  };
  return {
    read: () => {
      const text = readStateFile(path);
      return text === undefined ? undefined : parseState(text, path);
    },
    changed: () => {
      cancel ??= clock.schedule(DELAY_MS, write);
    },
    save: write,
    close: () => {
      if (cancel !== undefined) write();
    },
  };
};
