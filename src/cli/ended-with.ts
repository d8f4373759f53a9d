/** A command that did its work, and whose answer is an exit code other than 0: for a script, not an error. */
export class EndedWith extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ended with ${exitCode}`);
    this.name = 'EndedWith';
    this.exitCode = exitCode;
  }
}
