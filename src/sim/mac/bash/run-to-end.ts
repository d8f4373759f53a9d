/** A process with all that it says, for whoever needs no streams. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

export interface ExecAnswer {
  /** 128 and the signal when one ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const SIGNAL_BASE = 128;
const SIGNALS: Readonly<Record<string, number>> = constants.signals;

/** The number of a signal by its name. */
export const signalNumber = (name: unknown): number => SIGNALS[String(name)] ?? 0;

export const runToEnd = async (
  child: ChildProcessWithoutNullStreams,
  stdin: string | Uint8Array,
): Promise<ExecAnswer> => {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A command need not read what it is given.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [code, signal] = await once(child, 'close');
  return {
    exitCode: typeof code === 'number' ? code : SIGNAL_BASE + signalNumber(signal),
    stdout: Buffer.concat(stdout).toString('utf8'),
    stderr: Buffer.concat(stderr).toString('utf8'),
  };
};
