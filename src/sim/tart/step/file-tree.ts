/** Files and folders of a simulated Mac, in memory and at once. */
import { FleetError } from '../../../base/errors.ts';

interface MemoryFile {
  readonly bytes: Uint8Array;
  readonly modifiedAtMs: number;
}

export interface FileTreeOptions {
  readonly now: () => number;
  /** Tells a watcher, after whatever is going on now. */
  readonly tell: (listener: () => void) => void;
}

export interface FileTree {
  fileAt(path: string): MemoryFile | undefined;
  /** When the folder was made; undefined when there is none. */
  folderAt(path: string): number | undefined;
  has(path: string): boolean;
  textOf(path: string): string | undefined;
  put(path: string, bytes: Uint8Array): void;
  write(path: string, text: string): void;
  append(path: string, text: string): void;
  makeFolder(path: string): void;
  remove(path: string): void;
  namesIn(folder: string): readonly string[];
  watch(folder: string, onChange: () => void): () => void;
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';

export const createFileTree = ({ now, tell }: FileTreeOptions): FileTree => {
  const files = new Map<string, MemoryFile>();
  const folders = new Map<string, number>([['/', 0]]);
  const watchers = new Map<string, Set<() => void>>();
  const changed = (path: string): void => {
    for (const listener of watchers.get(parentOf(path)) ?? []) tell(listener);
  };
  /** A copy with memory of its own: a small Buffer would keep alive all of the larger one that Node cut it from. */
  const put = (path: string, bytes: Uint8Array): void => {
    if (!folders.has(parentOf(path))) throw missingFile(parentOf(path));
    files.set(path, { bytes: new Uint8Array(bytes), modifiedAtMs: now() });
    changed(path);
  };
  const makeFolder = (path: string): void => {
    if (folders.has(path)) return;
    makeFolder(parentOf(path));
    folders.set(path, now());
    changed(path);
  };
  const textOf = (path: string): string | undefined => {
    const file = files.get(path);
    return file === undefined ? undefined : Buffer.from(file.bytes).toString();
  };
  const write = (path: string, text: string): void => put(path, Buffer.from(text));
  return {
    ...{ put, makeFolder, textOf, write },
    fileAt: (path) => files.get(path),
    folderAt: (path) => folders.get(path),
    has: (path) => files.has(path) || folders.has(path),
    append: (path, text) => put(path, Buffer.concat([files.get(path)?.bytes ?? new Uint8Array(), Buffer.from(text)])),
    remove: (path) => {
      for (const all of [files, folders]) {
        for (const name of [...all.keys()]) if (name === path || name.startsWith(`${path}/`)) all.delete(name);
      }
      changed(path);
    },
    namesIn: (folder) =>
      [...files.keys(), ...folders.keys()]
        .filter((name) => name !== folder && parentOf(name) === folder)
        .map((name) => name.slice(name.lastIndexOf('/') + 1))
        .toSorted(),
    watch: (folder, onChange) => {
      if (!folders.has(folder)) throw missingFile(folder);
      const listeners = watchers.get(folder) ?? new Set();
      watchers.set(folder, listeners.add(onChange));
      return () => void listeners.delete(onChange);
    },
  };
};

export const missingFile = (path: string): FleetError =>
  new FleetError('not-found', { code: 'FileMissing', message: `there is no ${path}` });
