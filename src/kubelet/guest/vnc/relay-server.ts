/** The real relay: a socket that lets those in who may, enters the VM's screen for them, and then only passes bytes on. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { neverAborted, withDeadline } from '../../../base/abort.ts';
import type { Cidr } from '../../../base/cidr.ts';
import type { Clock } from '../../../base/clock.ts';
import { FleetError, messageOf, toFleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { isAllowed } from '../forward/forwarder.ts';
import { createByteReader } from './byte-reader.ts';
import { isTokenLine, type OpenRelay, PREFACE_BYTES_MAX, type StartRelay } from './relay.ts';
import { admitClient, enterScreen, type RfbSide } from './rfb.ts';

export interface RelayServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sources: readonly Cidr[];
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

const ENTER_MS = 30_000;

export const createRelays =
  (options: RelayServerOptions): StartRelay =>
  async (relay) => {
    const sockets = new Set<Socket>();
    const server = createServer({ noDelay: true }, (client) => {
      keep(sockets, client);
      if (!isAllowed(client.remoteAddress, options.sources)) {
        client.destroy();
        return;
      }
      serve(options, relay, { client, sockets }).catch((thrown: unknown) => {
        options.logger.warn('A relay to a screen was not opened', { error: toFleetError(thrown) });
        client.destroy();
      });
    });
    await listen(server, options).catch((thrown: unknown) => {
      if (options.port === 0) throw thrown;
      options.logger.info('The port of relays is taken; this one has another', { port: options.port });
      return listen(server, { ...options, port: 0 });
    });
    const address = server.address();
    let closing: Promise<void> | undefined;
    return {
      port: typeof address === 'object' && address !== null ? address.port : options.port,
      close: () => {
        closing ??= new Promise((resolve) => {
          server.close(() => resolve());
          for (const socket of sockets) socket.destroy();
        });
        return closing;
      },
    };
  };

const keep = (sockets: Set<Socket>, socket: Socket): void => {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  // Whoever waits for the socket hears of it by its end.
  socket.on('error', () => socket.destroy());
};

const listen = (server: Server, { host, port }: RelayServerOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.removeAllListeners('error').once('error', (cause) => {
      const message = `no relay to a screen can be opened at ${host}:${port}: ${messageOf(cause)}`;
      reject(new FleetError('unavailable', { code: 'RelayNotBound', message, cause }));
    });
    server.listen({ host, port }, resolve);
  });

interface Side extends RfbSide {
  /** Gives the socket back: from now on others read it. */
  release(): Promise<void>;
}

const sideOf = (socket: Socket): Side => {
  const chunks = socket.iterator({ destroyOnReturn: false });
  return {
    reader: createByteReader(chunks),
    write: (bytes) => void socket.write(bytes),
    release: async () => void (await chunks.return?.()),
  };
};

const serve = async (
  { clock }: RelayServerOptions,
  { endpoint, tokenHash }: OpenRelay,
  { client, sockets }: { readonly client: Socket; readonly sockets: Set<Socket> },
): Promise<void> => {
  const near = sideOf(client);
  const screen = await withDeadline(
    { clock, timeoutMs: ENTER_MS, signal: neverAborted(), doing: 'entering a screen' },
    async () => {
      if (tokenHash !== undefined && !isTokenLine(await near.reader.line(PREFACE_BYTES_MAX), tokenHash)) {
        throw new FleetError('denied', {
          code: 'VncTokenRefused',
          message: 'a client showed no token, or a wrong one',
        });
      }
      const socket = connect({ host: endpoint.host, port: endpoint.port, noDelay: true });
      keep(sockets, socket);
      client.once('close', () => socket.destroy());
      socket.once('close', () => client.destroy());
      const far = sideOf(socket);
      await enterScreen(far, endpoint.password);
      await admitClient(near);
      await Promise.all([near.release(), far.release()]);
      socket.write(near.reader.rest());
      client.write(far.reader.rest());
      return socket;
    },
  );
  client.pipe(screen);
  screen.pipe(client);
};
