/** The real relay: a socket that lets those in who may, enters the VM's screen for them, and then only passes bytes on. */
import { connect, type Socket } from 'node:net';
import { neverAborted, withDeadline } from '../../../base/abort.ts';
import type { Cidr } from '../../../base/cidr.ts';
import type { Clock } from '../../../base/clock.ts';
import { FleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { createGuardedServer, type GuardedServer } from '../forward/guarded-server.ts';
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

const NOT_BOUND = { code: 'RelayNotBound', what: 'no relay to a screen can be opened' };

export const createRelays =
  (options: RelayServerOptions): StartRelay =>
  async (relay) => {
    const { logger, sources, host, port } = options;
    const server = createGuardedServer({
      ...{ logger, sources, failure: 'A relay to a screen was not opened' },
      serve: (client, { couple }) => serve(options, relay, { client, couple }),
    });
    const bound = await server.listen({ host, port, ...NOT_BOUND }).catch((thrown: unknown) => {
      if (port === 0) throw thrown;
      logger.info('The port of relays is taken; this one has another', { port });
      return server.listen({ host, port: 0, ...NOT_BOUND });
    });
    return { port: bound, close: server.close };
  };

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
  { client, couple }: { readonly client: Socket } & Pick<GuardedServer, 'couple'>,
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
      couple(client, socket);
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
