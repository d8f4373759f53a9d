/** Which process runs which VM. Tart uses a lock of the filesystem; a file with the pid and its start does the same here. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TartHome } from '../tart-home.ts';

const HOLDER_FILE = 'holder';
const LOCK_FOLDER = 'holders.lock';
/** Nobody holds the lock longer than it takes to read a few files. */
const LOCK_IS_STALE_MS = 2_000;
const LOCK_POLL_MS = 5;

/** One program at a time changes what all of a home share. */
export const underHomeLock = (root: string, work: () => void): void => underLock(join(root, LOCK_FOLDER), work);

export const createHolders = (root: string): Pick<TartHome, 'holderOf' | 'hold' | 'letGo'> => {
  const fileOf = (name: string): string => join(root, 'vms', name, HOLDER_FILE);
  const holderOf = (name: string): number | undefined => {
    const [pid, start] = (readIfThere(fileOf(name)) ?? '').split(' ');
    if (pid === undefined || start === undefined) return undefined;
    return startOf(Number(pid)) === start ? Number(pid) : undefined;
  };
  return {
    holderOf,
    hold: (name, pid, mayHold) => {
      underHomeLock(root, () => {
        mayHold(readdirSync(join(root, 'vms')).filter((other) => holderOf(other) !== undefined));
        writeFileSync(fileOf(name), `${pid} ${startOf(pid)}`);
      });
    },
    letGo: (name) => rmSync(fileOf(name), { force: true }),
  };
};

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Tells one process from a later one with the same pid. Undefined for one that is gone or waits to be buried. */
const startOf = (pid: number): string | undefined => {
  const stat = readIfThere(`/proc/${pid}/stat`);
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return state === undefined || state === 'Z' ? undefined : fields[18];
};

const underLock = (folder: string, work: () => void): void => {
  while (!takeLock(folder)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  try {
    work();
  } finally {
    rmdirSync(folder);
  }
};

const takeLock = (folder: string): boolean => {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    breakStaleLock(folder);
    return false;
  }
};

const breakStaleLock = (folder: string): void => {
  try {
    if (Date.now() - statSync(folder).mtimeMs > LOCK_IS_STALE_MS) rmdirSync(folder);
  } catch {
    // Somebody else gave it back in between.
  }
};
