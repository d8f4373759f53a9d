/** A socket of this Mac that lets those in who may, and ends with everything that came through it. */
import { createServer, type Socket } from 'node:net';
import type { Cidr } from '../../../base/cidr.ts';
import { FleetError, messageOf, toFleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { isAllowed } from './forwarder.ts';

export interface GuardedServerOptions {
  readonly logger: Logger;
  /** Who may come in; others are cut off without a word. */
  readonly sources: readonly Cidr[];
  /** Whether a client is read from only once somebody asks for what it says. */
  readonly pauseOnConnect?: true;
  /** What is said of a client that cannot be served; it is cut off. */
  readonly failure: string;
  readonly serve: (client: Socket, server: GuardedServer) => Promise<void>;
}

export interface Binding {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Of the error when it cannot be had. */
  readonly code: string;
  readonly what: string;
}

export interface GuardedServer {
  /** The port it got. May be asked again after a refusal. */
  listen(binding: Binding): Promise<number>;
  /** From now on each of the two ends with the other, and both with the server. */
  couple(client: Socket, other: Socket): void;
  /** Once, however often it is asked for. */
  close(): Promise<void>;
}

export const createGuardedServer = (options: GuardedServerOptions): GuardedServer => {
  const { logger, sources, failure, pauseOnConnect = false } = options;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Whoever waits for it hears of it by its end.
    socket.on('error', () => socket.destroy());
  };
  const server = createServer({ noDelay: true, pauseOnConnect }, (client) => {
    keep(client);
    if (!isAllowed(client.remoteAddress, sources)) {
      client.destroy();
      return;
    }
    options.serve(client, guarded).catch((thrown: unknown) => {
      logger.warn(failure, { error: toFleetError(thrown) });
      client.destroy();
    });
  });
  let closing: Promise<void> | undefined;
  const guarded: GuardedServer = {
    listen: ({ host, port, code, what }) =>
      new Promise((resolve, reject) => {
        server.removeAllListeners('error').once('error', (cause) => {
          const message = `${what} at ${host}:${port}: ${messageOf(cause)}`;
          reject(new FleetError('unavailable', { code, message, cause }));
        });
        server.listen({ host, port }, () => {
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    couple: (client, other) => {
      keep(other);
      client.once('close', () => other.destroy());
      other.once('close', () => client.destroy());
    },
    close: () => {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
      return closing;
    },
  };
  return guarded;
};
