/**
 * A step-level Mac behind a real SSH port: an ssh2 server in front of its session. It understands the lines that our adapter
 * sends and no others, and refuses, hangs and breaks as the Mac behind it does. Its host key is made from the Mac's
 * fingerprint, so that it changes with it; the fingerprint that a client sees is that of the made key.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Connection, ServerChannel } from 'ssh2';
import { neverAborted } from '../../base/abort.ts';
import { type FleetError, toFleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { renderAnswer } from '../../hosts/port/batch-answer.ts';
import { parseBatch } from '../../hosts/port/batch-wire.ts';
import { REFUSED_EXIT, renderRefusal } from '../../hosts/port/refusals.ts';
import { parseRemoteLine, renderMark } from '../../hosts/port/remote-command.ts';
import { readTar } from '../../hosts/port/tar.ts';
import { parseUploadArgv, WRONG_CHECKSUM_EXIT } from '../../hosts/port/upload-wire.ts';
import type { Artefact, HostSession, Hosts } from '../../hosts/port.ts';
import type { SimMac } from './sim-mac.ts';
import { openSshDoor, type SshDoor } from './ssh-door.ts';

export interface MacSshServerOptions {
  /** How the Mac is reached without SSH. */
  readonly hosts: Hosts;
  readonly mac: Pick<SimMac, 'view'>;
  readonly address: string;
  /** In OpenSSH format; its public half may log in. */
  readonly fleetKey: Secret<string>;
  /** A free one of the loopback unless given. */
  readonly port?: number;
  /** 127.0.0.1 unless given. */
  readonly listenOn?: string;
}

export const serveMac = ({
  hosts,
  mac,
  address,
  fleetKey,
  port = 0,
  listenOn,
}: MacSshServerOptions): Promise<SshDoor> =>
  openSshDoor({
    port,
    ...(listenOn !== undefined && { host: listenOn }),
    hostKey: () => {
      const { isUp, hostKey } = mac.view();
      return isUp ? hostKey : undefined;
    },
    keysOf: () => [fleetKey.reveal()],
    onLogin: async ({ client, socket, user, hostKey }) => {
      const target = { address, user, privateKey: fleetKey, pinnedHostKey: hostKey };
      serveCommands({ session: await hosts.open(target, neverAborted()), client, socket });
    },
  });

interface Serving {
  readonly session: HostSession;
  readonly client: Connection;
  readonly socket: Socket;
}

interface Commands extends Serving {
  /** By the number of the process group. */
  readonly running: Map<number, AbortController>;
  groups: number;
}

const FIRST_GROUP = 500;

const serveCommands = (serving: Serving): void => {
  const commands: Commands = { ...serving, running: new Map(), groups: FIRST_GROUP };
  serving.client.on('session', (accept) => {
    accept().on('exec', (admit, _refuse, { command }) => void execute(commands, admit(), command));
  });
  serving.socket.once('close', () => void serving.session.close());
};

const execute = async (commands: Commands, channel: ServerChannel, line: string): Promise<void> => {
  channel.on('error', () => undefined);
  const input = readAll(channel);
  const remote = parseRemoteLine(line);
  if (remote === undefined) {
    finish(channel, { exitCode: 127, output: 'a step-level Mac runs nothing but steps\n' });
    return;
  }
  if (remote.do === 'kill') {
    commands.running.get(remote.group)?.abort();
    finish(channel, { exitCode: 0, output: '' });
    return;
  }
  commands.groups += 1;
  const group = commands.groups;
  channel.write(renderMark(group));
  const answer = await runCommand(commands, { group, argv: remote.argv, stdin: await input });
  if (answer === undefined) commands.socket.destroy();
  else finish(channel, answer);
};

interface CommandRun {
  readonly group: number;
  readonly argv: readonly string[];
  readonly stdin: Buffer;
}

interface Ending {
  readonly exitCode: number;
  readonly output: string | Buffer;
}

/** Undefined when the connection is to break. */
const runCommand = async (commands: Commands, { group, argv, stdin }: CommandRun): Promise<Ending | undefined> => {
  const controller = new AbortController();
  commands.running.set(group, controller);
  try {
    return await runOnMac(commands.session, { argv, stdin }, controller.signal);
  } catch (thrown) {
    return answerTo(toFleetError(thrown));
  } finally {
    commands.running.delete(group);
  }
};

/** Steps that no caller bounds here end with the caller's own limit. */
const UNBOUNDED_MS = 3_600_000;

const runOnMac = async (
  session: HostSession,
  { argv, stdin }: Omit<CommandRun, 'group'>,
  signal: AbortSignal,
): Promise<Ending> => {
  const batch = parseBatch(argv, stdin);
  if (batch !== undefined) {
    return { exitCode: 0, output: renderAnswer(await session.run({ ...batch, timeoutMs: UNBOUNDED_MS }, signal)) };
  }
  const place = parseUploadArgv(argv);
  if (place === undefined) return { exitCode: 127, output: 'neither steps nor an upload\n' };
  const files = readTar(stdin);
  await session.upload(
    place.sums.map((sha256) => artefactOf(sha256, files.get(sha256) ?? Buffer.alloc(0))),
    signal,
  );
  return { exitCode: 0, output: '' };
};

const artefactOf = (sha256: string, content: Buffer): Artefact => ({
  ...{ name: sha256, sha256, sizeBytes: content.length },
  async *open() {
    yield content;
  },
});

const answerTo = (error: FleetError): Ending | undefined => {
  const { sha256, found } = error.details;
  if (error.code === 'UploadDamaged') return { exitCode: WRONG_CHECKSUM_EXIT, output: `${sha256} ${found}\n` };
  if (error.kind === 'unavailable') return undefined;
  if (error.kind === 'cancelled') return { exitCode: 143, output: 'terminated\n' };
  const refusal = renderRefusal(error);
  if (refusal !== undefined) return { exitCode: REFUSED_EXIT, output: `${refusal}\n` };
  return { exitCode: 70, output: `${error.message}\n` };
};

const finish = (channel: ServerChannel, { exitCode, output }: Ending): void => {
  const isComplaint = exitCode === WRONG_CHECKSUM_EXIT;
  (isComplaint ? channel.stderr : channel).write(output);
  channel.exit(exitCode);
  channel.end();
};

const readAll = async (channel: ServerChannel): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(channel, 'end');
  return Buffer.concat(chunks);
};
