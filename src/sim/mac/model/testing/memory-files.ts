/** A Mac's disk in memory, for tests of its model. */
import type { FileOwner, MacFiles } from '../files.ts';

interface Entry {
  readonly inode: string;
  readonly content: Buffer;
  readonly mode: number;
  readonly uid: number;
}

export const createMemoryFiles = (first: Readonly<Record<string, string>> = {}): MacFiles => {
  const entries = new Map<string, Entry>();
  let inodes = 0;
  const nextInode = (): string => {
    inodes += 1;
    return String(inodes);
  };
  const put = (path: string, inode: string, [content, { mode = 0o644, uid = 0 }]: readonly [Uint8Array, FileOwner]) =>
    void entries.set(path, { inode, content: Buffer.from(content), mode, uid });
  const bytes = (content: string | Uint8Array): Uint8Array => Buffer.from(content);
  const files: MacFiles = {
    read: (path) => entries.get(path)?.content,
    readText: (path) => entries.get(path)?.content.toString('utf8'),
    facts: (path) => {
      const entry = entries.get(path);
      return entry && { inode: entry.inode, mode: entry.mode, uid: entry.uid, sizeBytes: entry.content.length };
    },
    list: (folder) =>
      [...entries.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1))
        .sort(),
    write: (path, content, owner = {}) => put(path, entries.get(path)?.inode ?? nextInode(), [bytes(content), owner]),
    replace: (path, content, owner = {}) => put(path, nextInode(), [bytes(content), owner]),
    makeDirectory: () => undefined,
    remove: (path) => void entries.delete(path),
  };
  for (const [path, content] of Object.entries(first)) files.write(path, content);
  return files;
};
