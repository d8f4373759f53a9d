/** What a command that is run on a simulated Mac asks its model, and what the model answers. */

export interface CommandCall {
  readonly name: string;
  readonly args: readonly string[];
  /** 0 is root. */
  readonly uid: number;
  readonly pid: number;
  /** Directory it was called in. */
  readonly cwd: string;
  /** Empty unless an argument was `-` or `/dev/stdin`. */
  readonly stdin: string;
}

export interface CommandAnswer {
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** The signal is aborted when whoever asked is gone. */
export type MacCommand = (call: CommandCall, signal: AbortSignal) => CommandAnswer | Promise<CommandAnswer>;

export type MacCommands = Readonly<Record<string, MacCommand>>;

/** Ended well, having said this. */
export const say = (...lines: readonly string[]): CommandAnswer => ({
  exitCode: 0,
  stdout: lines.map((line) => `${line}\n`).join(''),
});

/** Ended badly, having complained. */
export const complain = (exitCode: number, ...lines: readonly string[]): CommandAnswer => ({
  exitCode,
  stderr: lines.map((line) => `${line}\n`).join(''),
});

export const quiet: CommandAnswer = { exitCode: 0 };
