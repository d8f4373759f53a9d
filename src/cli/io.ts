/** Standard input, as Node gives it. Reading it to the end, or breaking off, ends it. */
export interface CliInput extends AsyncIterable<Uint8Array | string> {
  /** Whether a person types there. */
  readonly isTTY?: boolean;
  /** Hands on every key as it is pressed, and shows none. */
  setRawMode?(isRaw: boolean): unknown;
}

/** What a command may touch of the process around it. bin/macfleet.ts hands in the real things, tests hand in recorders. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly stdin?: CliInput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person looks at stdout, so that a table may be redrawn in place. */
  readonly isTerminal?: boolean;
  /** How wide that terminal is now. */
  readonly columns?: number | undefined;
  /** How high it is. */
  readonly rows?: number | undefined;
  /** Of the machine; taken for Linux unless given. */
  readonly platform?: NodeJS.Platform;
  /** Aborted when the user or the system asks the process to stop. */
  readonly signal: AbortSignal;
}
