/** Where the store writes what must survive: one record per change, durable when `append` returns. */

export interface LogRecord {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** The object, or undefined when it is gone. */
  readonly json: string | undefined;
}

export interface LoadedLog {
  readonly revision: number;
  /** Objects that exist, each once. */
  readonly records: readonly LogRecord[];
}

export interface StoreLog {
  load(): LoadedLog;
  /** Throws `unavailable` when the record could not be made durable; then nothing of it was kept. */
  append(record: LogRecord): void;
  close(): void;
}
