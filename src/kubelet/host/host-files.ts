/** Files of the Mac as a port. A path that is not there reads as undefined; every other failure is thrown. */

export interface FileInfo {
  readonly kind: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

export interface TailLimit {
  readonly bytesMax: number;
}

/** The end of a file. */
export interface Tail {
  readonly text: string;
  /** Whether the file has more before this. */
  readonly isCut: boolean;
}

export interface FileSlice {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}

export interface FileMode {
  readonly mode?: number;
}

export interface WriteMode extends FileMode {
  /** `death`: of the agent alone. Cheap, and for what is of no use once the Mac was off. A loss of power too, unless said. */
  readonly survives?: 'death';
}

export interface HostFiles {
  readText(path: string): Promise<string | undefined>;
  /**
   * The last bytes of a regular file, without following a link and without ever waiting (a guest may have put a pipe
   * there). Undefined when it is no regular file.
   */
  readTail(path: string, limit: TailLimit): Promise<Tail | undefined>;
  /** Up to `length` bytes from `offset` of a regular file; fewer at its end. */
  readBytes(slice: FileSlice): Promise<Uint8Array | undefined>;
  /** All or nothing: a temporary file beside it, synced where it has to survive a loss of power, renamed. */
  writeText(path: string, text: string, mode?: WriteMode): Promise<void>;
  /** Adds at the end, creating the file. */
  appendText(path: string, text: string, mode?: FileMode): Promise<void>;
  /** With its parents. An existing one gets the mode. */
  makeDirectory(path: string, mode?: FileMode): Promise<void>;
  /** With all in it; nothing there is fine. */
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Everything in the one file goes to the other; the first stays where it is, empty, for whoever has it open. */
  moveContent(from: string, to: string): Promise<void>;
  /** Names, sorted; a folder that is not there has none. */
  list(path: string): Promise<readonly string[]>;
  /** Does not follow links. */
  look(path: string): Promise<FileInfo | undefined>;
  /** Calls back after something in the folder may have changed; the returned function ends that. The folder must exist. */
  watch(directory: string, onChange: () => void): () => void;
}

export interface DiskSpace {
  readonly totalBytes: number;
  /** What an ordinary user may still use. */
  readonly freeBytes: number;
}

/** Space of the filesystem that holds a path. */
export type MeasureDisk = (path: string) => Promise<DiskSpace>;
