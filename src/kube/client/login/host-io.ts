/** Adapter: the files, commands and environment of this machine, as far as logging in to a cluster needs them. */
import { readFile } from 'node:fs/promises';
import { FleetError, messageOf } from '../../../base/errors.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface CommandOutput {
  /** Undefined when the command did not start, or was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not start or end by itself. */
  readonly problem?: string;
}

export interface HostIo {
  /** The file's text, or undefined when there is no such file. Rejects when it cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** Runs a command without standard input. Never rejects: how it went is in the output. */
  run(command: Command): Promise<CommandOutput>;
}

const OUTPUT_BYTES_MAX = 1024 * 1024;

export const createHostIo = (): HostIo => ({
  readText: async (path) => {
    try {
      return await readFile(path, 'utf8');
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined;
      throw unreadable(path, `cannot be read: ${messageOf(thrown)}`);
    }
  },
  run: async ({ file, args, env, timeoutMs }) => {
    // Few logins need a program: what starts one is loaded then.
    const { execFile } = await import('node:child_process');
    return new Promise((resolve) => {
      const child = execFile(
        file,
        args,
        { env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX, killSignal: 'SIGKILL' },
        (error, stdout, stderr) => resolve({ stdout, stderr, ...describeEnd(error, timeoutMs) }),
      );
      child.stdin?.end();
    });
  },
});

const describeEnd = (error: Error | null, timeoutMs: number): Pick<CommandOutput, 'exitCode' | 'problem'> => {
  if (error === null) return { exitCode: 0 };
  const code = codeOf(error);
  if (typeof code === 'number') return { exitCode: code };
  if (code === 'ENOENT') return { exitCode: undefined, problem: 'was not found' };
  if ('killed' in error && error.killed === true) {
    return { exitCode: undefined, problem: `did not end within ${timeoutMs} ms, or printed too much` };
  }
  return { exitCode: undefined, problem: `could not be run (${String(code)})` };
};

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);

/** The text of a file that must be there. */
export const readRequired = async (host: HostIo, path: string): Promise<string> => {
  const text = await host.readText(path);
  if (text === undefined) throw unreadable(path, 'does not exist');
  return text;
};

const unreadable = (path: string, problem: string): FleetError =>
  new FleetError('denied', {
    code: 'FileUnreadable',
    message: `the file ${path} ${problem}`,
    hint: 'Create it, make it readable for this user, or name another one.',
  });
