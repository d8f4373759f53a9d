/** A machine as `cluster:build` sees it: a cache of its own, and on the PATH a fake `go` that misbehaves on request. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, constants, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';
import { reportFailure } from '../../../src/cli/report-failure.ts';
import { runBuild } from '../build/run-build.ts';
import { cacheRoot, type Env } from '../cache.ts';
import { MANIFEST_SOURCES } from '../recipe.ts';

/** `go build` makes a shell script; what it does besides, files in the stage's folder say. */
const FAKE_GO = `#!/bin/sh
printf '%s\\n' "$* [$CGO_ENABLED $GOFLAGS $GOWORK $GOTMPDIR]" >> "$STAGE/go-calls"
case "$1" in
  env) cat "$STAGE/go-version"; exit ;;
  mod) printf '{\\n\\t"Path": "%s",\\n\\t"Dir": "%s"\\n}\\n' "$4" "$STAGE/sources"; exit ;;
esac
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then out=$2; fi
  shift
done
name=\${out##*/}
echo "go: downloading example.com/$name v1.0.0" >&2
echo "example.com/$name" >&2
if [ -e "$STAGE/$name.fails" ]; then echo half > "$out"; cat "$STAGE/$name.fails" >&2; exit 1; fi
if [ -e "$STAGE/$name.dies" ]; then kill -KILL $$; fi
if [ -e "$STAGE/$name.gate" ]; then echo half > "$out"; echo $$ > "$STAGE/$name.pid"; cat "$STAGE/$name.gate"; fi
printf '#!/bin/sh\\necho "rendered by %s: $*"\\n' "$name" > "$out"
chmod 755 "$out"
`;

const ENTRY = join(import.meta.dirname, '..', 'build.ts');
const DEADLINE_MS = 20_000;

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** What it printed so far. */
  stdout(): string;
  abort(): void;
}

export interface Stage {
  readonly env: Env;
  readonly root: string;
  path(...names: readonly string[]): string;
  /** Starts a build inside this process. */
  start(args?: readonly string[], env?: Env): Running;
  run(args?: readonly string[], env?: Env): Promise<Ended>;
  /** Starts a build as a process of its own, and gives its number. */
  spawn(args: readonly string[]): { readonly pid: number; readonly exited: Promise<unknown> };
  /** The programs that the fake go was asked for, in order. */
  built(): Promise<readonly string[]>;
  goCalls(): Promise<readonly string[]>;
  setGoVersion(version: string): Promise<void>;
  /** Building the program stops half-way until the gate is opened. */
  gate(name: string): () => Promise<void>;
  /** Whether the go that stands at the program's gate still runs. */
  isAtWork(name: string): Promise<boolean>;
  /** Every file and folder of the cache that a builder may leave half-made. */
  halfMade(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export const createStage = async (): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'macfleet-cluster-build-'));
  const path = (...names: readonly string[]): string => join(folder, ...names);
  await layOut(path);
  const env = {
    PATH: [path('bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: folder,
    XDG_CACHE_HOME: path('cache'),
    STAGE: folder,
  };
  const root = cacheRoot(env);
  const gates: (() => Promise<void>)[] = [];
  const goCalls = async (): Promise<readonly string[]> => readLines(path('go-calls'));
  const start: Stage['start'] = (args = [], startEnv = env) => startBuild(args, startEnv);
  return {
    env,
    root,
    path,
    start,
    run: (args, runEnv) => start(args, runEnv).ended,
    spawn: (args) => spawnBuild(args, env),
    goCalls,
    built: async () => (await goCalls()).flatMap((call) => /-o \S+\/(\S+) /.exec(call)?.slice(1) ?? []),
    setGoVersion: (version) => writeFile(path('go-version'), `${version}\n`),
    gate: (name) => {
      const fifo = path(`${name}.gate`);
      execFileSync('/bin/sh', ['-c', 'mkfifo "$1"', 'sh', fifo]);
      gates.push(() => openAnyway(fifo));
      return () => openGate(fifo);
    },
    isAtWork: async (name) => isAlive(Number(await readFile(path(`${name}.pid`), 'utf8'))),
    halfMade: async () => (await readdir(root)).filter((name) => name.startsWith('.')),
    remove: async () => {
      for (const letThrough of gates) await letThrough();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};

const layOut = async (path: Stage['path']): Promise<void> => {
  await mkdir(path('bin'));
  await writeFile(path('bin', 'go'), FAKE_GO, { mode: 0o755 });
  await writeFile(path('go-version'), 'go1.26.8\n');
  const crd = path('sources', MANIFEST_SOURCES.providerCrd);
  await mkdir(join(crd, '..'), { recursive: true });
  await writeFile(crd, 'kind: CustomResourceDefinition\n');
};

const readLines = async (path: string): Promise<readonly string[]> => {
  if (!existsSync(path)) return [];
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
};

const startBuild = (args: readonly string[], env: Env): Running => {
  const stopping = new AbortController();
  let stdout = '';
  let stderr = '';
  const io = {
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
    env,
    signal: stopping.signal,
  };
  const finish = async (): Promise<Ended> => {
    try {
      await runBuild({ args, io, progressEveryMs: 10 });
      return { exitCode: 0, stdout, stderr };
    } catch (error) {
      const exitCode = reportFailure({ args, io }, error);
      return { exitCode, stdout, stderr };
    }
  };
  return { ended: finish(), stdout: () => stdout, abort: () => stopping.abort() };
};

const spawnBuild = (args: readonly string[], env: Env): ReturnType<Stage['spawn']> => {
  const child = spawn(process.execPath, [ENTRY, ...args], { env, stdio: 'ignore' });
  return { pid: child.pid ?? 0, exited: once(child, 'exit') };
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Lets through whoever stands at the gate, if anybody does. */
const openAnyway = async (fifo: string): Promise<void> => {
  const writer = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
  await writer?.close();
};

/** Waits until somebody stands at the gate, and lets him through. */
const openGate = async (fifo: string): Promise<void> => {
  const writer = await open(fifo, constants.O_WRONLY);
  await writer.close();
};

/** Resolves when the condition holds; it is asked every few milliseconds, and not for ever. */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = DEADLINE_MS,
): Promise<void> => {
  const clock = createSystemClock();
  const givesUpAt = clock.elapsed() + deadlineMs;
  while (!(await condition())) {
    if (clock.elapsed() > givesUpAt) throw new Error(`waited in vain until ${what}`);
    await sleep(clock, 5, neverAborted());
  }
};

/** As a person would put it there. */
export const putProgram = async (path: string): Promise<void> => {
  await writeFile(path, '#!/bin/sh\necho "rendered by hand: $*"\n');
  await chmod(path, 0o755);
};
