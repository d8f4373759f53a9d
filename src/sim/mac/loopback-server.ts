/** A TCP port of the loopback that knows its connections, so that it can be closed while they are open. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { assert } from '../../base/errors.ts';

export interface LoopbackServer {
  readonly port: number;
  /** Breaks every connection that is open; new ones are taken as before. */
  dropAll(): void;
  /** Breaks them all, and takes no new ones. */
  close(): Promise<void>;
}

/** A free port unless one is named. */
export const openLoopbackServer = async (
  { port = 0, host = '127.0.0.1' }: { readonly port?: number; readonly host?: string },
  onConnection: (socket: Socket) => void,
): Promise<LoopbackServer> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object', 'a listening server has a port');
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    ...{ port: address.port, dropAll },
    close: async () => {
      dropAll();
      server.close();
      await once(server, 'close');
    },
  };
};
