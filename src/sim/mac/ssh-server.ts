/**
 * A simulated Mac behind a real SSH port: an ssh2 server in front of its session. It understands the lines that our adapter
 * sends and no others, and refuses, hangs and breaks as the Mac behind it does. Its host key is made from the Mac's
 * fingerprint, so that it changes with it; the fingerprint that a client sees is that of the made key.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type ServerChannel } from 'ssh2';
import { neverAborted } from '../../base/abort.ts';
import { assert, type FleetError, isKind, toFleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { parseRemoteLine, renderMark } from '../../hosts/port/remote-command.ts';
import { parseStepCall, renderRefusal } from '../../hosts/port/step-wire.ts';
import type { HostSession, Hosts, StepAnswer } from '../../hosts/port.ts';
import { openSshKeyFrom } from '../../pki/openssh-key.ts';
import type { SimMac } from './sim-mac.ts';

export interface MacSshServerOptions {
  /** How the Mac is reached without SSH. */
  readonly hosts: Hosts;
  readonly mac: Pick<SimMac, 'view'>;
  readonly address: string;
  /** In OpenSSH format; its public half may log in. */
  readonly fleetKey: Secret<string>;
}

export interface MacSshServer {
  readonly port: number;
  close(): Promise<void>;
}

/** On a free port of the loopback. */
export const serveMac = async (options: MacSshServerOptions): Promise<MacSshServer> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    welcome(options, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const portOf = (server: Server): number => {
  const address = server.address();
  assert(address !== null && typeof address === 'object', 'a listening server has a port');
  return address.port;
};

/** A server of its own for every connection: the Mac may have another key than at the last. */
const welcome = (options: MacSshServerOptions, socket: Socket): void => {
  const { isUp, hostKey } = options.mac.view();
  if (!isUp) {
    socket.destroy();
    return;
  }
  const seed = createHash('sha256').update(hostKey).digest();
  const hostKeys = [openSshKeyFrom(seed).privateKey.reveal()];
  const server = new ssh2.Server({ hostKeys }, (client) => attend({ options, socket, hostKey, client }));
  server.injectSocket(socket);
};

interface Visit {
  readonly options: MacSshServerOptions;
  readonly socket: Socket;
  /** The Mac's fingerprint when the visit began. */
  readonly hostKey: string;
  readonly client: Connection;
}

const attend = (visit: Visit): void => {
  const { client, socket } = visit;
  socket.setNoDelay(true);
  // A client may go at any time and in any way.
  client.on('error', () => socket.destroy());
  client.on('authentication', (context) => void authenticate(visit, context));
};

const authenticate = async (visit: Visit, context: AuthContext): Promise<void> => {
  const { options, socket, hostKey, client } = visit;
  if (!isFleetKey(options.fleetKey, context)) {
    context.reject(['publickey']);
    return;
  }
  // Only asked whether the key would do; the login proper follows.
  if (context.method === 'publickey' && context.signature === undefined) {
    context.accept();
    return;
  }
  const target = { address: options.address, user: context.username, privateKey: options.fleetKey };
  try {
    const session = await options.hosts.open({ ...target, pinnedHostKey: hostKey }, neverAborted());
    serveCommands({ session, client, socket });
    context.accept();
  } catch (error) {
    if (isKind(error, 'denied')) context.reject();
    else socket.destroy();
  }
};

const isFleetKey = (fleetKey: Secret<string>, context: AuthContext): boolean => {
  if (context.method !== 'publickey') return false;
  const known = ssh2.utils.parseKey(fleetKey.reveal());
  if (known instanceof Error || !known.getPublicSSH().equals(context.key.data)) return false;
  if (context.signature === undefined || context.blob === undefined) return true;
  return known.verify(context.blob, context.signature) === true;
};

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
  const answer = await runStep(commands, { group, argv: remote.argv, stdin: await input });
  if (answer === undefined) commands.socket.destroy();
  else finish(channel, answer);
};

interface StepRun {
  readonly group: number;
  readonly argv: readonly string[];
  readonly stdin: Buffer;
}

/** Undefined when the connection is to break. */
const runStep = async (commands: Commands, { group, argv, stdin }: StepRun): Promise<StepAnswer | undefined> => {
  const call = parseStepCall(argv, stdin);
  if (call === undefined) return { exitCode: 127, output: 'no step\n' };
  const controller = new AbortController();
  commands.running.set(group, controller);
  try {
    return await commands.session.run(call, controller.signal);
  } catch (thrown) {
    return answerTo(toFleetError(thrown));
  } finally {
    commands.running.delete(group);
  }
};

const answerTo = (error: FleetError): StepAnswer | undefined => {
  if (error.kind === 'unavailable') return undefined;
  if (error.kind === 'cancelled') return { exitCode: 143, output: 'terminated\n' };
  return renderRefusal(error) ?? { exitCode: 70, output: `${error.message}\n` };
};

const finish = (channel: ServerChannel, { exitCode, output }: StepAnswer): void => {
  channel.write(output);
  channel.exit(exitCode);
  channel.end();
};

const readAll = async (channel: ServerChannel): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  channel.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(channel, 'end');
  return Buffer.concat(chunks);
};
