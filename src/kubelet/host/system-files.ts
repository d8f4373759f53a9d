/** The real HostFiles, and the real measure of the disk. */
import { chmodSync, constants, copyFileSync, mkdirSync, renameSync, truncateSync, watch, writeFileSync } from 'node:fs';
import { appendFile, type FileHandle, lstat, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileInfo, FileSlice, HostFiles, MeasureDisk, Tail } from './host-files.ts';

export const createSystemFiles = (): HostFiles => ({
  readText: (path) => unlessMissing(readFile(path, 'utf8')),
  readTail: (path, { bytesMax }) => withRegular(path, (file, sizeBytes) => tailOf(file, sizeBytes, bytesMax)),
  readBytes: ({ path, offset, length }) => withRegular(path, (file) => sliceOf(file, { path, offset, length })),
  writeText: createWriter(),
  appendText: (path, text, { mode = 0o644 } = {}) => appendFile(path, text, { mode }),
  makeDirectory: async (path, { mode = 0o755 } = {}) => {
    mkdirSync(path, { recursive: true, mode });
    chmodSync(path, mode);
  },
  remove: (path) => rm(path, { recursive: true, force: true }),
  rename,
  // At once: what this process itself prints into the file in between would be lost.
  moveContent: async (from, to) => {
    copyFileSync(from, to);
    truncateSync(from);
  },
  list: async (path) => [...((await unlessMissing(readdir(path))) ?? [])].sort(),
  look: async (path) => {
    const found = await unlessMissing(lstat(path));
    return found === undefined ? undefined : toInfo(found);
  },
  watch: (directory, onChange) => {
    const watcher = watch(directory, { persistent: false }, onChange);
    // A folder that is gone is a change too.
    watcher.on('error', onChange);
    return () => watcher.close();
  },
});

export const measureSystemDisk: MeasureDisk = async (path) => {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
};

const unlessMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return undefined;
    throw thrown;
  }
};

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);

interface Stats {
  readonly size: number;
  readonly mtimeMs: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

const toInfo = (stats: Stats): FileInfo => ({
  kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other',
  sizeBytes: stats.size,
  modifiedAtMs: stats.mtimeMs,
});

const QUIETLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Undefined for what is not there, a link, a pipe, a folder. */
const withRegular = async <T>(
  path: string,
  use: (file: FileHandle, sizeBytes: number) => Promise<T>,
): Promise<T | undefined> => {
  const file = await openQuietly(path);
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    return stats.isFile() ? await use(file, stats.size) : undefined;
  } finally {
    await file.close();
  }
};

const openQuietly = async (path: string): Promise<FileHandle | undefined> => {
  try {
    return await unlessMissing(open(path, QUIETLY));
  } catch (thrown) {
    if (codeOf(thrown) === 'ELOOP' || codeOf(thrown) === 'EMLINK' || codeOf(thrown) === 'ENXIO') return undefined;
    throw thrown;
  }
};

const tailOf = async (file: FileHandle, sizeBytes: number, bytesMax: number): Promise<Tail> => {
  const offset = Math.max(sizeBytes - bytesMax, 0);
  const bytes = await sliceOf(file, { path: '', offset, length: Math.min(sizeBytes, bytesMax) });
  return { text: Buffer.from(bytes).toString(), isCut: offset > 0 };
};

const sliceOf = async (file: FileHandle, { offset, length }: FileSlice): Promise<Uint8Array> => {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};

/** Each writer has a temporary file of its own; of two that write at the same time the later rename counts. */
const createWriter = (): HostFiles['writeText'] => {
  let writers = 0;
  return async (path, text, { mode = 0o644, survives } = {}) => {
    writers += 1;
    const temporary = `${path}.new${writers}`;
    try {
      if (survives === 'death') return replaceAtOnce({ path, temporary }, text, mode);
      await writeSynced(temporary, text, mode);
      await rename(temporary, path);
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
    await syncDirectory(dirname(path));
  };
};

interface Replaced {
  readonly path: string;
  readonly temporary: string;
}

/** Nobody waits for the disk here, and on a busy Mac each turn of waiting would cost more than all of this. */
const replaceAtOnce = ({ path, temporary }: Replaced, text: string, mode: number): void => {
  writeFileSync(temporary, text, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
};

const writeSynced = async (path: string, text: string, mode: number): Promise<void> => {
  const file = await open(path, 'w', mode);
  try {
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Without this a loss of power may undo the rename. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};
