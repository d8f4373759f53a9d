/**
 * An SSH port of a simulated Mac of either kind, up to the login: who may come in, by which host key, and what breaks on the
 * way. What happens after the login is the kind's own (ssh-server.ts, bash/serve-bash-mac.ts).
 */
import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import { isKind } from '../../base/errors.ts';
import { type OpenSshKey, openSshKeyFrom } from '../../pki/openssh-key.ts';
import { type LoopbackServer, openLoopbackServer } from './loopback-server.ts';

export interface Visit {
  readonly client: Connection;
  readonly socket: Socket;
  readonly user: string;
  /** The Mac's host key secret when the visit began. */
  readonly hostKey: string;
}

export interface SshDoorOptions {
  /** A free one of the loopback unless given. */
  readonly port?: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** What the host key is made from: it changes with it. Undefined while nobody answers. */
  readonly hostKey: () => string | undefined;
  /** Keys that may log in, in OpenSSH format. */
  readonly keysOf: (user: string) => readonly string[];
  /** Rejects with `denied` to refuse the login; with anything else the connection breaks. */
  readonly onLogin: (visit: Visit) => Promise<void>;
}

export type SshDoor = Pick<LoopbackServer, 'port' | 'close' | 'dropAll'>;

export const openSshDoor = (options: SshDoorOptions): Promise<SshDoor> =>
  openLoopbackServer(options, (socket) => welcome(options, socket));

/** The key pair that a Mac shows whose host key is made from this. */
const hostKeyPair = (hostKey: string): OpenSshKey => openSshKeyFrom(createHash('sha256').update(hostKey).digest());

/** A server of its own for every connection: the Mac may have another key than at the last. */
const welcome = (options: SshDoorOptions, socket: Socket): void => {
  // Before SSH itself takes the socket nobody else would hear of it.
  socket.on('error', () => socket.destroy());
  const hostKey = options.hostKey();
  if (hostKey === undefined) {
    socket.destroy();
    return;
  }
  const hostKeys = [hostKeyPair(hostKey).privateKey.reveal()];
  const server = new ssh2.Server({ hostKeys }, (client) => {
    socket.setNoDelay(true);
    // A client may go at any time and in any way.
    client.on('error', () => socket.destroy());
    client.on('authentication', (context) => void authenticate(options, { client, socket, hostKey }, context));
  });
  server.injectSocket(socket);
};

const authenticate = async (
  { keysOf, onLogin }: SshDoorOptions,
  visit: Omit<Visit, 'user'>,
  context: AuthContext,
): Promise<void> => {
  const user = context.username;
  if (!keysOf(user).some((key) => isKey(key, context))) {
    context.reject(['publickey']);
    return;
  }
  // Only asked whether the key would do; the login proper follows.
  if (context.method === 'publickey' && context.signature === undefined) {
    context.accept();
    return;
  }
  try {
    await onLogin({ ...visit, user });
    context.accept();
  } catch (error) {
    if (isKind(error, 'denied')) context.reject();
    else visit.socket.destroy();
  }
};

const isKey = (key: string, context: AuthContext): boolean => {
  if (context.method !== 'publickey') return false;
  const known = ssh2.utils.parseKey(key);
  if (known instanceof Error || !known.getPublicSSH().equals(context.key.data)) return false;
  if (context.signature === undefined || context.blob === undefined) return true;
  return known.verify(context.blob, context.signature) === true;
};
