/** The journal of the Pods of this Mac: one small file per UID, and the same in memory for those who read. */
import type { Logger } from '../../base/logger.ts';
import type { HostFiles, WriteMode } from '../host/host-files.ts';
import { type JournalEntry, parseJournalEntry } from './journal-entry.ts';

export interface Journal {
  get(uid: string): JournalEntry | undefined;
  all(): readonly JournalEntry[];
  /** On the disk when this resolves, for as long as said: for ever unless given. */
  put(entry: JournalEntry, keep?: Pick<WriteMode, 'survives'>): Promise<void>;
  drop(uid: string): Promise<void>;
}

export interface JournalOptions {
  readonly files: HostFiles;
  readonly directory: string;
  readonly logger: Logger;
}

/** Reads what earlier lives of the agent left. */
export const openJournal = async ({ files, directory, logger }: JournalOptions): Promise<Journal> => {
  const entries = new Map<string, JournalEntry>();
  const pathOf = (uid: string): string => `${directory}/${uid}.json`;
  await files.makeDirectory(directory, { mode: 0o700 });
  for (const name of await files.list(directory)) {
    if (!name.endsWith('.json')) continue;
    const entry = parseJournalEntry((await files.readText(`${directory}/${name}`)) ?? '');
    if (entry !== undefined && pathOf(entry.uid) === `${directory}/${name}`) entries.set(entry.uid, entry);
    else logger.warn('A file of the journal is not readable; its VM is found by its name', { file: name });
  }
  return {
    get: (uid) => entries.get(uid),
    all: () => [...entries.values()],
    put: async (entry, keep) => {
      await files.writeText(pathOf(entry.uid), `${JSON.stringify(entry)}\n`, { ...keep, mode: 0o600 });
      entries.set(entry.uid, entry);
    },
    drop: async (uid) => {
      await files.remove(pathOf(uid));
      entries.delete(uid);
    },
  };
};
