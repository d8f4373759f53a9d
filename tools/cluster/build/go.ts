/** The `go` command, run in one of the wrapper modules: what it prints, how far it is, and what its failure means. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { throwIfAborted } from '../../../src/base/abort.ts';
import { FleetError } from '../../../src/base/errors.ts';
import type { Env } from '../cache.ts';
import { GO_ENV, type ModuleName, moduleDir } from '../recipe.ts';
import { explainGoFailure, goMissing } from './failure.ts';

export interface GoProgress {
  readonly packagesCompiled: number;
  readonly modulesDownloaded: number;
}

export interface GoCommand {
  readonly args: readonly string[];
  readonly module: ModuleName;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** For the error: "building etcd". */
  readonly doing: string;
  readonly onProgress?: (progress: GoProgress) => void;
}

/** More says nothing that the last lines do not say. */
const LINES_KEPT = 15;
const LINE_LENGTH_MAX = 300;

/** What `go build -v` prints for each package that it compiles: the package's path alone. */
const PACKAGE_LINE = /^[\w.~+-]+(\/[\w.~+-]+)*$/;

/** For this machine, whatever the caller's settings. */
const buildEnv = (env: Env): NodeJS.ProcessEnv => {
  const { GOOS: _os, GOARCH: _arch, ...rest } = env;
  return { ...rest, ...GO_ENV };
};

/**
 * Go in a process group of its own, with a watcher on the other end of a pipe that only this process holds. When the pipe
 * ends without a word, because we close it or because we are gone (kill -9 included), the watcher ends the whole group,
 * compilers and linker too.
 */
const GUARDED = 'exec 3<&0 </dev/null; (read -r _ <&3 || kill -s TERM -- -$$) >/dev/null 2>&1 & exec go "$@" 3<&-';
const COMMAND_NOT_FOUND = 127;

const spawnGo = ({ args, module, env }: GoCommand) =>
  spawn('/bin/sh', ['-c', GUARDED, 'sh', ...args], { cwd: moduleDir(module), env: buildEnv(env), detached: true });

/** What the command printed on stdout. It has ended when this settles. */
export const runGo = async (command: GoCommand): Promise<string> => {
  throwIfAborted(command.signal);
  const child = spawnGo(command);
  // Nobody reads it any more once the watcher is gone.
  child.stdin.on('error', () => undefined);
  child.on('exit', () => child.stdin.end('\n'));
  const closed = new Promise<string | undefined>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === COMMAND_NOT_FOUND) reject(goMissing());
      else resolve(code === 0 ? undefined : `go ended by ${signal ?? `code ${code}`}`);
    });
  });
  const stop = (): void => void child.stdin.destroy();
  command.signal.addEventListener('abort', stop);
  try {
    const said = followLines(createInterface({ input: child.stderr }), command.onProgress);
    const [failure, stdout, lines] = await Promise.all([closed, text(child.stdout), said]);
    throwIfAborted(command.signal);
    if (failure !== undefined) throw explainGoFailure(command.doing, [...lines, failure].join('\n'));
    return stdout;
  } finally {
    command.signal.removeEventListener('abort', stop);
  }
};

/** The last lines that are neither a compiled package nor a download. */
const followLines = async (
  lines: AsyncIterable<string>,
  onProgress: GoCommand['onProgress'],
): Promise<readonly string[]> => {
  const kept: string[] = [];
  let packagesCompiled = 0;
  let modulesDownloaded = 0;
  for await (const line of lines) {
    if (PACKAGE_LINE.test(line)) packagesCompiled += 1;
    else if (line.startsWith('go: downloading ')) modulesDownloaded += 1;
    else kept.push(line.slice(0, LINE_LENGTH_MAX));
    if (kept.length > LINES_KEPT) kept.shift();
    onProgress?.({ packagesCompiled, modulesDownloaded });
  }
  return kept;
};

type GoQuestion = Pick<GoCommand, 'env' | 'signal'>;

/** As `go1.26.8`: of the toolchain that go.mod selects, which may be another than the installed one. */
export const readGoVersion = async (question: GoQuestion): Promise<string> => {
  const args = ['env', 'GOVERSION'];
  const version = (await runGo({ ...question, args, module: 'kubernetes', doing: 'asking Go for its version' })).trim();
  if (/^[\w.+-]+$/.test(version)) return version;
  throw unexpectedAnswer('go env GOVERSION', version);
};

/** The folder of a module's sources, downloaded if need be. */
export const findModuleSources = async (
  question: GoQuestion & { readonly module: ModuleName; readonly goModule: string },
): Promise<string> => {
  const { goModule, ...where } = question;
  const args = ['mod', 'download', '-json', goModule];
  return parseModuleDir(await runGo({ ...where, args, doing: `downloading ${goModule}` }));
};

const parseModuleDir = (answer: string): string => {
  const dir = /"Dir":\s*("(?:[^"\\]|\\.)*")/.exec(answer)?.[1];
  if (dir === undefined) throw unexpectedAnswer('go mod download -json', answer);
  return String(JSON.parse(dir));
};

const unexpectedAnswer = (command: string, answer: string): FleetError =>
  new FleetError('contract', {
    code: 'GoAnswerUnexpected',
    message: `\`${command}\` answered something else than expected: ${answer.slice(0, 200)}`,
    hint: 'Check that `go` on the PATH is the Go toolchain.',
  });
