/** A real HTTP server on the loopback interface, with or without TLS, that counts its connections. */
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  readonly port: number;
  /** Connections since the start. */
  readonly connections: number;
  close(): Promise<void>;
}

export const startLoopbackServer = async (handle: RequestListener, tls?: ServerOptions): Promise<LoopbackServer> => {
  const server = tls === undefined ? createHttpServer(handle) : createHttpsServer(tls, handle);
  let connections = 0;
  server.on(tls === undefined ? 'connection' : 'secureConnection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    get connections() {
      return connections;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
