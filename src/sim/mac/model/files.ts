/**
 * The disk of a simulated Mac as its model sees it. Paths are the Mac's own; a link never leads off its disk. Where macOS keeps
 * a state in a file (pf.conf, plists, sudoers, kcpassword), the file is the state: scripts change it with real commands.
 */

export interface FileFacts {
  /** Names one file through all its changes; a file moved into its place has another. */
  readonly inode: string;
  readonly mode: number;
  readonly uid: number;
  readonly sizeBytes: number;
}

export interface MacFiles {
  /** Undefined when there is no such file. */
  read(path: string): Buffer | undefined;
  readText(path: string): string | undefined;
  facts(path: string): FileFacts | undefined;
  /** Names in a directory, sorted; empty when there is none. */
  list(path: string): readonly string[];
  /** Keeps the inode of a file that was there. Makes directories. */
  write(path: string, content: string | Uint8Array, owner?: FileOwner): void;
  /** Gives the path a new inode. */
  replace(path: string, content: string | Uint8Array, owner?: FileOwner): void;
  makeDirectory(path: string, owner?: FileOwner): void;
  remove(path: string): void;
}

export interface FileOwner {
  /** 0o644 unless given, 0o755 for a directory. */
  readonly mode?: number;
  /** Root's unless given. */
  readonly uid?: number;
  readonly gid?: number;
}
