/** Programs of the Mac as a port: run one to its end, or start one that outlives us. */

export interface Command {
  /** The program and its words; no shell reads them. */
  readonly argv: readonly [program: string, ...words: readonly string[]];
  /** Added to the agent's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Past this the program and all that it started are killed, and the command fails with `unavailable`. */
  readonly timeoutMs: number;
  /** Kept of each stream: the last so many bytes. */
  readonly outputBytesMax?: number;
  /** Each whole line of standard output, as it comes. */
  readonly onLine?: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  /** Undefined when a signal ended the program. */
  readonly code?: number;
  readonly killedBy?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that writes about itself into a folder, so that its end is known whoever is there to see it. */
export interface RecordedProgram {
  readonly argv: readonly [program: string, ...words: readonly string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Must exist. The program's pid and end are written there (see run-record.ts). */
  readonly recordDir: string;
  /** Both its streams are appended here, line by line, passwords of VNC addresses taken out. */
  readonly logPath: string;
}

export interface ProcessInfo {
  readonly pid: number;
  readonly startedAtMs: number;
  /** Program and words, joined by blanks. */
  readonly command: string;
}

export type ProcessSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGUSR1' | 'SIGUSR2';

export interface CommandPort {
  /** Resolves with whatever end the program had by itself. `not-found` (ProgramMissing) when there is no such program. */
  run(command: Command): Promise<CommandResult>;
  /** Starts the program in a session of its own, bound to nothing of ours. Resolves when it has been started. */
  startRecorded(program: RecordedProgram): Promise<void>;
  /** All processes of the Mac. */
  processes(signal: AbortSignal): Promise<readonly ProcessInfo[]>;
  /** Whether there is such a process. */
  isAlive(pid: number): boolean;
  /** False when there is no such process. */
  kill(pid: number, signal: ProcessSignal): boolean;
}
