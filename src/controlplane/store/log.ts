/** Where the store writes what must survive: all changes of one turn of the event loop together, or none of them. */

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
  /** Durable when it returns. Throws `unavailable` when that failed; then none of the records was kept. */
  append(records: readonly LogRecord[]): void;
  /** Calls `run` once when this turn of the event loop is over: what was written in it is then appended as one. */
  defer(run: () => void): void;
  close(): void;
}
