/** The real forwarder of a Pod's hostPorts: bytes, as they come, from those who may. */
import { connect, type Socket } from 'node:net';
import type { Cidr } from '../../../base/cidr.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { cacheAnswer, findLocalAddress, type LocalAddress, type OpenPortForward } from './forwarder.ts';
import { createGuardedServer } from './guarded-server.ts';

export interface PortForwardsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sources: readonly Cidr[];
  /** The addresses of this Mac. */
  readonly ownAddresses: () => readonly LocalAddress[];
  /** Where an address of a VM is really reached; itself on a Mac. */
  readonly mapAddress: (host: string) => string;
}

const NOT_BOUND = { code: 'ForwarderNotBound', what: 'a port of a Pod cannot be passed on' };

export const createPortForwards =
  (options: PortForwardsOptions): OpenPortForward =>
  async ({ host, port, targetPort, upstream }) => {
    const { clock, logger, sources, mapAddress } = options;
    const life = new AbortController();
    const addressOf = cacheAnswer(upstream, clock.elapsed);
    const server = createGuardedServer({
      ...{ logger, sources, pauseOnConnect: true, failure: 'A connection to a VM cannot be passed on' },
      serve: async (client, { couple }) => {
        const guest = dial(options, { host: mapAddress(await addressOf(life.signal)), port: targetPort });
        couple(client, guest);
        client.pipe(guest);
        guest.pipe(client);
      },
    });
    await server.listen({ host, port, ...NOT_BOUND });
    return {
      close: () => {
        life.abort();
        return server.close();
      },
    };
  };

const dial = (
  { ownAddresses }: PortForwardsOptions,
  target: { readonly host: string; readonly port: number },
): Socket => {
  const localAddress = findLocalAddress(target.host, ownAddresses());
  return connect({ ...target, noDelay: true, ...(localAddress !== undefined && { localAddress }) });
};
