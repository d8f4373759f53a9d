/** Files of a simulated Mac with the shape of the agent's port for files. */
import { createFileTree, type FileTree, type FileTreeOptions, missingFile } from './file-tree.ts';

interface Slice {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

export type MemoryFiles = ReturnType<typeof createMemoryFiles>;

interface Keep {
  /** `death`: of whoever wrote it, and no loss of power. */
  readonly survives?: 'death';
}

export const createMemoryFiles = (options: FileTreeOptions) => {
  const tree = createFileTree(options);
  /** What a disk has not got yet, as long as anybody may lose power. */
  const unsynced = new Set<string>();
  return {
    /** At once, for the other side of the simulation. */
    now: tree,
    readText: async (path: string) => tree.textOf(path),
    readTail: async (path: string, { bytesMax }: { readonly bytesMax: number }) => tailOf(tree, path, bytesMax),
    readBytes: async ({ path, offset, length }: Slice) => tree.fileAt(path)?.bytes.slice(offset, offset + length),
    writeText: async (path: string, text: string, { survives }: Keep = {}) => {
      tree.write(path, text);
      if (survives === 'death') unsynced.add(path);
      else unsynced.delete(path);
    },
    /** What had not to survive that is gone: the worst that a disk may do. */
    losePower: () => {
      for (const path of unsynced) tree.remove(path);
      unsynced.clear();
    },
    appendText: async (path: string, text: string) => tree.append(path, text),
    makeDirectory: async (path: string) => tree.makeFolder(path),
    remove: async (path: string) => tree.remove(path),
    rename: async (from: string, to: string) => {
      const file = tree.fileAt(from);
      if (file === undefined) throw missingFile(from);
      tree.put(to, file.bytes);
      tree.remove(from);
    },
    moveContent: async (from: string, to: string) => {
      const file = tree.fileAt(from);
      if (file === undefined) throw missingFile(from);
      tree.put(to, file.bytes);
      tree.write(from, '');
    },
    list: async (path: string) => tree.namesIn(path),
    look: async (path: string) => look(tree, path),
    watch: tree.watch,
  };
};

const tailOf = (tree: FileTree, path: string, bytesMax: number) => {
  const bytes = tree.fileAt(path)?.bytes;
  if (bytes === undefined) return undefined;
  return { text: Buffer.from(bytes.subarray(-bytesMax)).toString(), isCut: bytes.length > bytesMax };
};

const look = (tree: FileTree, path: string) => {
  const file = tree.fileAt(path);
  if (file !== undefined) {
    return { kind: 'file' as const, sizeBytes: file.bytes.length, modifiedAtMs: file.modifiedAtMs };
  }
  const modifiedAtMs = tree.folderAt(path);
  return modifiedAtMs === undefined ? undefined : { kind: 'directory' as const, sizeBytes: 0, modifiedAtMs };
};
