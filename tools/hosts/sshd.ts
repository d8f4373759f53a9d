/**
 * A real sshd for tests and benchmarks: on a free port of the loopback, with keys and configuration of its own, for the user
 * who runs it. It ends with us, whatever ends us.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { neverAborted } from '../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { FleetError } from '../../src/base/errors.ts';
import type { HostTarget } from '../../src/hosts/port.ts';
import { openSshKeyFrom } from '../../src/pki/openssh-key.ts';
import { type Guarded, guardDirectory, spawnGuarded } from '../processes/guarded.ts';
import { chooseFreePort, onFreePort } from '../processes/ports.ts';

export interface Sshd {
  /** Ready to log in; not pinned. */
  readonly target: HostTarget;
  /** Public, as OpenSSH writes it. */
  readonly hostKey: string;
  /** Empty, for the tests, and gone with the sshd. */
  readonly dir: string;
  /** HOME of who logs in: empty. */
  readonly home: string;
  readonly pid: number;
  log(): string;
  /** Breaks all connections and starts again at the same port, as a reboot does. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface SshdOptions {
  /** Further lines of its configuration. */
  readonly config?: readonly string[];
}

const READY_MS = 10_000;
const POLL_MS = 25;
/** Where Debian and macOS have it, outside the PATH of most users. */
const USUAL_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** The path of sshd, or `unavailable`. */
export const findSshd = (env: Readonly<Record<string, string | undefined>>): string => {
  const folders = [...(env['PATH'] ?? '').split(delimiter), ...USUAL_FOLDERS].filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, 'sshd')).find(isProgram);
  if (found !== undefined) return found;
  throw new FleetError('unavailable', {
    code: 'NoSshd',
    message: 'there is no sshd on this machine',
    hint: 'Install openssh-server; nothing of it has to be started or configured.',
  });
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

export const startSshd = async ({ config = [] }: SshdOptions = {}): Promise<Sshd> => {
  const path = findSshd(process.env);
  const dir = mkdtempSync(join(tmpdir(), 'macfleet-sshd-'));
  const folder = guardDirectory(dir);
  // As root sshd insists on this folder, which belongs to root and is empty.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const keys = writeKeys(dir);
  try {
    const { port, ...first } = await onFreePort(chooseFreePort, (free) => launch({ path, dir, port: free, config }));
    let { server } = first;
    const pid = (): number => server.child.pid ?? 0;
    const target = { address: '127.0.0.1', port, user: userInfo().username, pinnedHostKey: undefined };
    return {
      target: { ...target, privateKey: keys.client.privateKey },
      hostKey: keys.host.publicKey,
      dir: join(dir, 'files'),
      home: join(dir, 'home'),
      get pid() {
        return pid();
      },
      log: () => readFileSync(join(dir, 'log'), 'utf8'),
      restart: async () => {
        const connections = connectionsOf(pid());
        await server.stop();
        for (const connection of connections) process.kill(connection, 'SIGKILL');
        server = (await launch({ path, dir, port, config })).server;
      },
      stop: async () => {
        await server.stop();
        await folder.stop();
      },
    };
  } catch (error) {
    await folder.stop();
    throw error;
  }
};

/** Each is a process of sshd's, or two: one with its rights and one without. */
const connectionsOf = (pid: number): readonly number[] => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number);
  const own = children.filter((child) => child > 0 && readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('sshd'));
  return own.flatMap((child) => [child, ...connectionsOf(child)]);
};

const writeKeys = (dir: string) => {
  const host = openSshKeyFrom(randomBytes(32));
  const client = openSshKeyFrom(randomBytes(32));
  const files = { host_key: host.privateKey.reveal(), authorized_keys: `${client.publicKey}\n` };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o600 });
  for (const name of ['files', 'home']) mkdirSync(join(dir, name));
  chmodSync(dir, 0o755);
  return { host, client };
};

interface Launch {
  readonly path: string;
  readonly dir: string;
  readonly port: number;
  readonly config: readonly string[];
}

const launch = async ({ path, dir, port, config }: Launch): Promise<{ port: number; server: Guarded }> => {
  const lines = [
    ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${dir}/host_key`, `PidFile ${dir}/pid`],
    ...[`AuthorizedKeysFile ${dir}/authorized_keys`, 'StrictModes no', 'PermitRootLogin prohibit-password'],
    ...['PasswordAuthentication no', 'KbdInteractiveAuthentication no', 'UsePAM no', 'UseDNS no', 'PrintMotd no'],
    // Nothing of the user's own shell files: they may take long, or say things.
    `SetEnv HOME=${dir}/home`,
    // The first value counts, so what a test asks for comes before what it need not think of.
    ...[...config, 'MaxStartups 500:30:600', 'MaxSessions 10', 'LogLevel VERBOSE'],
  ];
  writeFileSync(join(dir, 'sshd_config'), `${lines.join('\n')}\n`);
  const log = openSync(join(dir, 'log'), 'w');
  const server = spawnGuarded({
    ...{ path, args: ['-D', '-e', '-f', join(dir, 'sshd_config')], env: { PATH: process.env['PATH'] ?? '' } },
    ...{ stdin: 'ignore', output: log },
  });
  await untilAnswering(server, port, () => readFileSync(join(dir, 'log'), 'utf8'));
  return { port, server };
};

const untilAnswering = async ({ child, stop }: Guarded, port: number, log: () => string): Promise<void> => {
  const clock = createSystemClock();
  const deadlineMs = clock.elapsed() + READY_MS;
  while (!(await answers(port))) {
    const isDead = child.exitCode !== null || child.signalCode !== null;
    if (isDead || clock.elapsed() > deadlineMs) {
      await stop();
      const code = log().includes('Address already in use') ? 'PortTaken' : 'SshdNotReady';
      throw new FleetError('contract', { code, message: `sshd does not answer at port ${port}: ${log().slice(-800)}` });
    }
    await sleep(clock, POLL_MS, neverAborted());
  }
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
