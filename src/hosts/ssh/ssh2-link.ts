/** A connection to one sshd, on ssh2: the only file of the product that touches it. What ssh2 throws is mapped before it leaves. */
import { createHash } from 'node:crypto';
import ssh2, { type Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { connectionLost } from '../port/session-errors.ts';
import type { HostTarget } from '../port.ts';
import { mapChannelError, mapSshError, type SshErrorContext } from './ssh2-errors.ts';

export interface LinkOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** A peer that answers none of so many probes in a row is given up. */
  readonly keepalive: { readonly everyMs: number; readonly unansweredMax: number };
}

export interface SshLink {
  /** `SHA256:` fingerprint of the key that the host showed. */
  readonly hostKey: string;
  /** A command line for the login shell. Rejects when the host opens no channel, or the connection is lost. */
  exec(line: string): Promise<ClientChannel>;
  /** Why the connection is gone; undefined while it is there. */
  loss(): FleetError | undefined;
  /** Settles when the connection is gone, for whatever reason. */
  readonly gone: Promise<void>;
  /** Breaks the connection; everything that runs on it fails with this. */
  fail(error: FleetError): void;
  /** Says goodbye. */
  end(): void;
}

/** Rejects as Hosts.open does. */
export const connectSsh = (target: HostTarget, options: LinkOptions, signal: AbortSignal): Promise<SshLink> => {
  const { clock, connectTimeoutMs: timeoutMs } = options;
  return withDeadline({ clock, timeoutMs, signal, doing: `connecting to ${placeOf(target)}` }, (limited) =>
    dial(target, options, limited),
  );
};

const ALGORITHMS: NonNullable<ConnectConfig['algorithms']> = {
  // One kind alone, so that a host cannot step around its pin by showing a key of another kind.
  serverHostKey: ['ssh-ed25519'],
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org'],
  // In the order of their measured speed without native code.
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'chacha20-poly1305@openssh.com', 'aes128-ctr'],
  compress: ['none'],
};

/** As a person writes it. */
const placeOf = ({ address, port = 22 }: HostTarget): string => (port === 22 ? address : `${address}:${port}`);

const dial = async (target: HostTarget, options: LinkOptions, signal: AbortSignal): Promise<SshLink> => {
  assertPrivateKey(target.privateKey);
  const client = new ssh2.Client();
  const { promise, resolve, reject } = Promise.withResolvers<SshLink>();
  const state: LinkState = { client, address: placeOf(target), during: 'connecting', shown: '', isKeyRefused: false };
  const destroy = (): void => void client.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  const gone = new Promise<void>((settle) => {
    client.once('close', () => {
      state.lost ??= mapSshError(undefined, state);
      reject(state.lost);
      settle();
    });
  });
  client.on('error', (error) => {
    state.lost ??= mapSshError(error, state);
    reject(state.lost);
    client.destroy();
  });
  client.once('connect', () => client.setNoDelay(true));
  client.once('ready', () => {
    state.during = 'session';
    signal.removeEventListener('abort', destroy);
    resolve(createLink(state, gone));
  });
  client.connect(configFor(target, options, state));
  return promise;
};

interface LinkState extends SshErrorContext {
  readonly client: Client;
  during: SshErrorContext['during'];
  isKeyRefused: boolean;
  /** Fingerprint. */
  shown: string;
  lost?: FleetError;
}

const configFor = (target: HostTarget, { keepalive }: LinkOptions, state: LinkState): ConnectConfig => ({
  host: target.address,
  port: target.port ?? 22,
  username: target.user,
  privateKey: target.privateKey.reveal(),
  // No attempt without a key: hosts count failures, and some lock out who has too many.
  authHandler: ['publickey'],
  algorithms: ALGORITHMS,
  // Our own deadline, on the injected clock, stands in for it.
  readyTimeout: 0,
  keepaliveInterval: keepalive.everyMs,
  keepaliveCountMax: keepalive.unansweredMax,
  hostVerifier: (key: Buffer): boolean => {
    state.shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
    state.isKeyRefused = target.pinnedHostKey !== undefined && target.pinnedHostKey !== state.shown;
    return !state.isKeyRefused;
  },
});

const createLink = (state: LinkState, gone: Promise<void>): SshLink => {
  const { client } = state;
  return {
    hostKey: state.shown,
    gone,
    loss: () => state.lost,
    exec: (line) => openChannel(state, line),
    fail: (error) => {
      state.lost ??= error;
      client.destroy();
    },
    end: () => void client.end(),
  };
};

const openChannel = (state: LinkState, line: string): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    if (state.lost !== undefined) {
      reject(state.lost);
      return;
    }
    try {
      state.client.exec(line, (error, channel) => {
        if (error !== undefined) reject(state.lost ?? mapChannelError(error, state));
        else resolve(channel);
      });
    } catch (error) {
      reject(connectionLost(error));
    }
  });

/** Whether it can be the fleet's key, before anything is done with it. Throws `invalid` with code `BadPrivateKey`. The key's text is in no message. */
export const assertPrivateKey = (privateKey: Secret<string>): void => {
  const parsed = ssh2.utils.parseKey(privateKey.reveal());
  if (!(parsed instanceof Error) && parsed.isPrivateKey()) return;
  throw new FleetError('invalid', {
    code: 'BadPrivateKey',
    message: "the fleet's SSH key is no private key in OpenSSH format without a passphrase",
    hint: "Give the file without .pub, or make a key with `ssh-keygen -t ed25519 -N ''` and give it the fleet.",
  });
};
