/**
 * One builder at a time in a cache. The lock is SQLite's on an empty database: the operating system takes it back when the
 * holder ends, however it ends, so a killed builder never blocks the next one and nothing has to be guessed from a pid.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../../../src/base/abort.ts';
import { isRecord } from '../../../src/base/json.ts';

const LOCK_FILE = 'lock';
/** Says to those who wait whom they wait for. Means nothing once the lock is free. */
const HOLDER_FILE = 'builder.pid';
const POLL_MS = 100;
const SQLITE_BUSY = 5;

export interface LockRequest {
  /** Made if absent. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Called once if somebody else holds the lock; the process number is unknown while it takes it. */
  readonly onWait: (holderPid: string | undefined) => void;
}

export interface BuildLock {
  release(): void;
}

/** Waits until the lock is free, and takes it. */
export const acquireLock = async ({ root, signal, onWait }: LockRequest): Promise<BuildLock> => {
  await mkdir(root, { recursive: true });
  const database = new DatabaseSync(join(root, LOCK_FILE));
  try {
    for (let tries = 0; !tryLock(database); tries += 1) {
      if (tries === 0) onWait(await readHolder(root));
      await abortable(sleep(POLL_MS), signal);
    }
    await writeFile(join(root, HOLDER_FILE), `${process.pid}\n`);
  } catch (error) {
    database.close();
    throw error;
  }
  return { release: () => database.close() };
};

const tryLock = (database: DatabaseSync): boolean => {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isRecord(error) && error['errcode'] === SQLITE_BUSY) return false;
    throw error;
  }
};

const readHolder = async (root: string): Promise<string | undefined> => {
  const text = await readFile(join(root, HOLDER_FILE), 'utf8').catch(() => '');
  return /^\d+$/.exec(text.trim())?.[0];
};
