/**
 * A clone of the repository as ./macfleet sees it, with a PATH that holds a fake npm and only those commands that the
 * launcher may rely on. Nothing here touches the network or the real node_modules.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeCommands, fakeNode, findOnPath, NODE_PACKAGE, realCommands } from './commands.ts';
import { type Ended, type Running, STREAMS, watch } from './running.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', 'macfleet');

export interface Shell {
  readonly name: string;
  readonly path: string | undefined;
  readonly args: readonly string[];
}

/** The shells that may stand behind /bin/sh on a user's machine. */
export const SHELLS: readonly Shell[] = [
  { name: 'dash', path: findOnPath('dash'), args: [] },
  { name: 'bash', path: findOnPath('bash'), args: ['--norc', '--posix'] },
  { name: 'zsh', path: findOnPath('zsh'), args: ['--emulate', 'sh', '--no-rcs'] },
];

export interface Start {
  readonly args?: readonly string[];
  readonly script?: string;
  readonly cwd?: string;
  readonly npm?: 'offline' | 'full' | 'empty' | 'gated';
  /** The command that, when it touches the lock, tells of itself and stops until the gate opens. */
  readonly gate?: 'rm' | 'ln';
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
  /** Ends what still runs, and removes everything. */
  remove(): Promise<void>;
}

export const createStage = async (shell: Shell): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'macfleet-launcher-'));
  const root = join(folder, "a clone's folder");
  const calls = join(folder, 'npm-calls');
  const started: Running[] = [];
  await layOut(folder, root);

  const start = (options: Start = {}): Running => {
    const {
      args = [],
      script = join(root, 'macfleet'),
      cwd = folder,
      npm = '',
      gate = '',
      waitSeconds = 900,
    } = options;
    const fakes = { FAKE_NPM: npm, FAKE_GATE: gate, MACFLEET_INSTALL_WAIT: `${waitSeconds}` };
    const env = { PATH: join(folder, 'tools'), HOME: folder, CDPATH: folder, ...fakes };
    const command = [...shell.args, script, ...args];
    const running = watch(spawn(shell.path ?? 'sh', command, { cwd, env, detached: true, stdio: STREAMS }));
    started.push(running);
    return running;
  };

  return {
    root,
    lock: join(root, '.macfleet-install.lock'),
    node: join(root, 'node_modules', NODE_PACKAGE, 'bin', 'node'),
    start,
    run: (options) => start(options).ended,
    npmCalls: async () => (existsSync(calls) ? (await readFile(calls, 'utf8')).trim().split('\n') : []),
    path: (name) => join(folder, name),
    setCommand: (name, text) => setCommand(join(folder, 'tools', name), text),
    remove: () => {
      for (const running of started) running.killAll('SIGKILL');
      return rm(folder, { recursive: true, force: true });
    },
  };
};

const layOut = async (folder: string, root: string): Promise<void> => {
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(folder, 'tools'));
  await copyFile(LAUNCHER, join(root, 'macfleet'));
  await writeFile(join(root, 'package-lock.json'), '{ "lockfileVersion": 3 }\n');
  await setCommand(join(folder, 'fake-node'), fakeNode());
  for (const [name, path] of realCommands()) await symlink(path, join(folder, 'tools', name));
  for (const [name, text] of Object.entries(fakeCommands(folder))) await setCommand(join(folder, 'tools', name), text);
};

const setCommand = async (path: string, text?: string): Promise<void> => {
  await rm(path, { force: true });
  if (text === undefined) return;
  await writeFile(path, text);
  await chmod(path, 0o755);
};
