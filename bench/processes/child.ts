/**
 * Child processes that say what they have to say in one JSON line on stdout. They end when stdin closes, also when this
 * process dies (end-with-parent.ts).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FleetError } from '../../src/base/errors.ts';

export interface ChildRequest {
  /** What it is, for errors. */
  readonly name: string;
  readonly script: URL;
  readonly args: readonly string[];
  readonly nodeFlags?: readonly string[];
}

export interface Child {
  /** What its one line says. */
  readonly said: unknown;
  stop(): Promise<void>;
}

/** No side of any benchmark takes a quarter of this on a machine that does nothing else. */
const LINE_TIMEOUT_MS = 600_000;

/** Starts the child and waits for its line. Stderr is passed through. */
export const startChild = async (request: ChildRequest): Promise<Child> => {
  const { script, args, nodeFlags = [] } = request;
  const child = spawn(process.execPath, [...nodeFlags, fileURLToPath(script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    child.stdin.destroy();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  try {
    return { said: await readLine(child, request.name), stop };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
};

const readLine = async (child: ChildProcess, name: string): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (why: string): void => reject(noLine(name, why));
  const timer = setTimeout(() => fail(`it said nothing for ${LINE_TIMEOUT_MS} ms`), LINE_TIMEOUT_MS);
  child.once('error', (error) => fail(error.message));
  child.once('exit', (code, signal) => fail(`it ended with ${signal ?? code} before it said anything`));
  if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
  try {
    return JSON.parse(await promise);
  } finally {
    clearTimeout(timer);
  }
};

const noLine = (name: string, why: string): FleetError =>
  new FleetError('unavailable', { code: 'BenchChildFailed', message: `${name} gave no result: ${why}` });
