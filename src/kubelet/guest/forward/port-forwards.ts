/** The real forwarder of a Pod's hostPorts: bytes, as they come, from those who may. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Cidr } from '../../../base/cidr.ts';
import type { Clock } from '../../../base/clock.ts';
import { FleetError, messageOf, toFleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import {
  cacheAnswer,
  findLocalAddress,
  isAllowed,
  type LocalAddress,
  type OpenPortForward,
  type PortForward,
} from './forwarder.ts';

export interface PortForwardsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sources: readonly Cidr[];
  /** The addresses of this Mac. */
  readonly ownAddresses: () => readonly LocalAddress[];
  /** Where an address of a VM is really reached; itself on a Mac. */
  readonly mapAddress: (host: string) => string;
}

export const createPortForwards =
  (options: PortForwardsOptions): OpenPortForward =>
  async (forward) => {
    const life = new AbortController();
    const sockets = new Set<Socket>();
    const upstream = cacheAnswer(forward.upstream, options.clock.elapsed);
    const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
      keep(sockets, client);
      if (!isAllowed(client.remoteAddress, options.sources)) {
        client.destroy();
        return;
      }
      upstream(life.signal)
        .then((host) =>
          relay(client, { host: options.mapAddress(host), port: forward.targetPort }, { options, sockets }),
        )
        .catch((thrown: unknown) => {
          options.logger.warn('A connection to a VM cannot be passed on', { error: toFleetError(thrown) });
          client.destroy();
        });
    });
    await listen(server, forward);
    let closing: Promise<void> | undefined;
    return {
      close: () => {
        closing ??= new Promise((resolve) => {
          life.abort();
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
  // The other side hears of it by the end.
  socket.on('error', () => socket.destroy());
};

const listen = (server: Server, { host, port }: PortForward): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `a port of a Pod cannot be passed on at ${host}:${port}: ${messageOf(cause)}`;
      reject(new FleetError('unavailable', { code: 'ForwarderNotBound', message, cause }));
    });
    server.listen({ host, port }, resolve);
  });

const relay = (
  client: Socket,
  target: { readonly host: string; readonly port: number },
  { options, sockets }: { readonly options: PortForwardsOptions; readonly sockets: Set<Socket> },
): void => {
  const localAddress = findLocalAddress(target.host, options.ownAddresses());
  const guest = connect({ ...target, noDelay: true, ...(localAddress !== undefined && { localAddress }) });
  keep(sockets, guest);
  client.once('close', () => guest.destroy());
  guest.once('close', () => client.destroy());
  client.pipe(guest);
  guest.pipe(client);
};
