/** The ways in which Tart ends badly, each with its text on standard error and its exit code. */

export class TartFailure extends Error {
  readonly exitCode: number;
  /** What stands on standard error, without the last line end. */
  readonly text: string;

  constructor(exitCode: number, text: string) {
    super(text);
    this.exitCode = exitCode;
    this.text = text;
  }
}

/** Tart's own errors come without a prefix. */
export const runtimeError = (text: string): TartFailure => new TartFailure(1, text);

export const missingVm = (name: string): TartFailure =>
  new TartFailure(2, `the specified VM ${quote(name)} does not exist`);

export const notRunning = (name: string): TartFailure => new TartFailure(2, `VM ${quote(name)} is not running`);

export const alreadyRunning = (name: string): TartFailure =>
  new TartFailure(2, `VM ${quote(name)} is already running!`);

/** Errors of libraries, and whatever a command throws while it checks its words. */
export const foreignError = (text: string): TartFailure => new TartFailure(1, `Error: ${text}`);

/** Words that the command cannot take. */
export const usageError = (text: string, usage: { readonly command: string; readonly line: string }): TartFailure =>
  new TartFailure(
    64,
    `Error: ${text}\nUsage: ${usage.line}\n  See 'tart ${usage.command} --help' for more information.`,
  );

const quote = (name: string): string => `"${name}"`;
