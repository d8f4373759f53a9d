/**
 * A Mac with real bash behind a real SSH port, as its own sshd would serve it: whoever holds a key that stands in one of the
 * user's key files gets commands run by the user's login shell, or an interactive shell.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { PseudoTtyInfo, ServerChannel, Session } from 'ssh2';
import { messageOf } from '../../../base/errors.ts';
import { quoteWords } from '../../../hosts/port/shell-words.ts';
import { openSshDoor, type SshDoor, type SshDoorOptions, type Visit } from '../ssh-door.ts';
import type { BashMac } from './bash-mac.ts';

/** Both are read by sshd: the second is where Scaleway puts a project's keys. */
const KEY_FILES = ['/Users/m1/.ssh/authorized_keys', '/Users/m1/.ssh/scw_authorized_keys'];
const LOGIN_SHELL = '/bin/zsh';

export const serveBashMac = (mac: BashMac, at: Pick<SshDoorOptions, 'host' | 'port'> = {}): Promise<SshDoor> =>
  openSshDoor({
    ...at,
    hostKey: () => (mac.power.sandbox() !== undefined && !mac.trouble.takeRefusal() ? mac.hostKey() : undefined),
    keysOf: (user) => (user === 'm1' ? authorizedKeys(mac) : []),
    onLogin: async (visit) => {
      const { socket } = visit;
      const forget = mac.power.onOff(() => socket.destroy());
      socket.once('close', forget);
      visit.client.on('session', (accept) => serveSession(mac, visit, accept()));
    },
  });

const authorizedKeys = ({ files }: BashMac): readonly string[] =>
  KEY_FILES.flatMap((path) => files.readText(path)?.split('\n') ?? []).filter((line) => line.trim() !== '');

const serveSession = (mac: BashMac, visit: Visit, session: Session): void => {
  let terminal: PseudoTtyInfo | undefined;
  session.on('pty', (accept, _refuse, info) => {
    terminal = info;
    accept?.();
  });
  // Of the client's environment nothing is taken over.
  session.on('env', (_accept, refuse) => refuse?.());
  session.on('window-change', (accept) => accept?.());
  session.on('shell', (accept) => {
    void carry(mac, visit, { channel: accept(), words: onTerminal(terminal, [LOGIN_SHELL, '-l']) });
  });
  session.on('exec', (accept, _refuse, { command }) => {
    const words = onTerminal(terminal, [LOGIN_SHELL, '-c', command]);
    void execute(mac, visit, { channel: accept(), line: command, words });
  });
};

/** A terminal needs somebody who opens one: util-linux' script. */
const onTerminal = (terminal: PseudoTtyInfo | undefined, words: readonly string[]): readonly string[] => {
  if (terminal === undefined) return words;
  const { rows, cols } = terminal;
  const inside = `stty rows ${rows || 24} cols ${cols || 80}; exec ${quoteWords(words)}`;
  return ['/host/usr/bin/script', '-qefc', inside, '/dev/null'];
};

interface Command extends Carried {
  readonly line: string;
}

const execute = async (mac: BashMac, visit: Visit, { line, ...carried }: Command): Promise<void> => {
  const fault = mac.trouble.takeLineFault(line);
  carried.channel.on('error', () => undefined);
  if (fault === 'hang') return;
  if (fault === 'lost-before') visit.socket.destroy();
  else await carry(mac, visit, fault === undefined ? carried : { ...carried, fault });
};

interface Carried {
  readonly channel: ServerChannel;
  readonly words: readonly string[];
  readonly fault?: 'lost-after' | 'lost-midway';
}

/** Resolves when the process has ended and all it said is on its way. */
const carry = async (mac: BashMac, { socket }: Visit, { channel, words, fault }: Carried): Promise<void> => {
  channel.on('error', () => undefined);
  try {
    const child = mac.start(words, 'm1', sshEnvironment(socket.remotePort));
    if (fault === 'lost-midway') channel.once('data', () => socket.destroy());
    const ended = once(child, 'close');
    connect(channel, child, fault === undefined ? 'heard' : 'unheard');
    const [code, signal] = await ended;
    if (fault === undefined) finish(channel, code, signal);
    else socket.destroy();
  } catch (error) {
    // Its power went while the client was asking; or the command is more than this machine lets a process have.
    if (mac.power.sandbox() === undefined) socket.destroy();
    else refuse(channel, messageOf(error));
  }
};

const connect = (channel: ServerChannel, child: ChildProcessWithoutNullStreams, is: 'heard' | 'unheard'): void => {
  // A command need not read what it is sent.
  child.stdin.on('error', () => undefined);
  channel.pipe(child.stdin);
  if (is === 'heard') {
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
  } else {
    child.stdout.resume();
    child.stderr.resume();
  }
  // As when sshd dies: what it started is told nothing, and belongs to nobody from then on.
  channel.once('close', () => child.kill('SIGKILL'));
};

const finish = (channel: ServerChannel, code: unknown, signal: unknown): void => {
  if (typeof code === 'number') channel.exit(code);
  else channel.exit(String(signal).replace('SIG', ''));
  channel.end();
};

const refuse = (channel: ServerChannel, why: string): void => {
  channel.stderr.write(`the simulated Mac cannot run this: ${why}\n`);
  channel.exit(126);
  channel.end();
};

const sshEnvironment = (port = 0): Readonly<Record<string, string>> => ({
  SSH_CLIENT: `127.0.0.1 ${port} 22`,
  SSH_CONNECTION: `127.0.0.1 ${port} 10.0.0.2 22`,
});
