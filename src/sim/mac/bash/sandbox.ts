/**
 * Namespaces in which the programs of one simulated Mac run: its own file system and processes, without the rights to leave
 * them. They live from power-on to power-off; whatever ran in them ends with them, and they end with us.
 *
 * Commands join them by nsenter and shed every right but those to be a user among users; /usr/libexec/macfleet/enter refuses
 * to go on where the sandbox's marker is missing.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { FleetError } from '../../../base/errors.ts';
import { chooseMaker, findProgram, makerWords, type SandboxLayout, type SandboxMaker } from './sandbox-makers.ts';

export interface SandboxOptions extends SandboxLayout {
  readonly marker: string;
  readonly maker: SandboxMaker;
}

export interface Sandbox {
  /** Words that run what follows them as this user of the Mac. */
  enter(user: MacUser): readonly string[];
  /** Everything that runs inside is killed. */
  stop(): Promise<void>;
}

export type MacUser = 'root' | 'm1';

/** Starts words as a user, with more variables than a login has. */
export type StartOnMac = (
  words: readonly string[],
  user: MacUser,
  env?: Readonly<Record<string, string>>,
) => ChildProcessWithoutNullStreams;

/** What root of a Mac may do: own and give away files, signal, become others. It mounts nothing and sees no device. */
const RIGHTS = ['chown', 'dac_override', 'fowner', 'fsetid', 'kill', 'setuid', 'setgid', 'setpcap'];
const BECOME_OTHERS = ['setuid', 'setgid'];

const plus = (rights: readonly string[]): string => ['-all', ...rights.map((right) => `+${right}`)].join(',');

const IDENTITY: Readonly<Record<MacUser, readonly string[]>> = {
  root: ['--reuid', '0', '--regid', '0', '--clear-groups', `--inh-caps=${plus([])}`, `--ambient-caps=${plus([])}`],
  // sudo is no setuid program here: who asks for root and is allowed to takes it by this right.
  m1: [
    ...['--reuid', '501', '--regid', '20', '--groups', '20,80'],
    ...[`--inh-caps=${plus(BECOME_OTHERS)}`, `--ambient-caps=${plus(BECOME_OTHERS)}`],
  ],
};

/** The reason why no sandbox can be made on this machine; undefined when it looks possible. */
export const sandboxObstacle = (): string | undefined => {
  if (process.platform !== 'linux') return 'sandboxes need Linux';
  if (process.getuid?.() !== 0)
    return 'a Mac has users of its own, which takes root or a user namespace with several ids';
  if (chooseMaker() === undefined) return 'neither bubblewrap nor unshare of util-linux is installed';
  const missing = ['nsenter', 'setpriv', 'bash', 'zsh'].find((name) => findProgram(name) === undefined);
  return missing === undefined ? undefined : `${missing} is not installed`;
};

/** Throws `unavailable` with code `NoSandbox` where scripts cannot be shut in. */
export const assertSandboxPossible = (): void => {
  const obstacle = sandboxObstacle();
  if (obstacle !== undefined) throw noSandbox(obstacle);
};

const noSandbox = (why: string): FleetError =>
  new FleetError('unavailable', {
    code: 'NoSandbox',
    message: `no sandbox for a Mac that runs real bash: ${why}`,
    hint: 'On Linux with bubblewrap, util-linux and zsh, run it as root or behind `unshare --user --map-root-user --map-auto`; or use step-level Macs, which run no script.',
  });

export const startSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  assertSandboxPossible();
  const [program = '', ...words] = makerWords(options.maker, options);
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await untilUp(child);
    const joined = [findProgram('nsenter') ?? '', '-t', firstProcessOf(child), '-m', '-p', '-i', '-u', '--'];
    const shed = ['/host/usr/bin/setpriv', `--bounding-set=${plus(RIGHTS)}`];
    const enter = ['/usr/libexec/macfleet/enter', options.marker];
    return { enter: (user) => [...joined, ...shed, ...IDENTITY[user], ...enter], stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
};

/** Resolves when the inside is complete. */
const untilUp = async (child: ChildProcess): Promise<void> => {
  const complaint: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => complaint.push(chunk));
  const { stdout } = child;
  if (stdout === null) throw noSandbox('its maker has no output');
  const failed = Promise.race([
    once(child, 'error').then(([error]) => String(error)),
    once(child, 'close').then(() => Buffer.concat(complaint).toString('utf8').trim()),
  ]);
  const failure = await Promise.race([once(stdout, 'data').then(() => undefined), failed]);
  if (failure !== undefined) throw noSandbox(failure);
};

/** Seen from outside. */
const firstProcessOf = ({ pid }: ChildProcess): string => {
  const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  if (first === '') throw noSandbox('its first process cannot be found');
  return first;
};
