/** What a command may touch of the process around it. bin/macfleet.ts hands in the real things, tests hand in recorders. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person looks at stdout, so that a table may be redrawn in place. */
  readonly isTerminal?: boolean;
  /** Aborted when the user or the system asks the process to stop. */
  readonly signal: AbortSignal;
}
