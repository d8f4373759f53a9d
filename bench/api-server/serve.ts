/**
 * A neutral API server: every answer is encoded before anybody asks, so that what is measured is the client. It speaks
 * HTTPS on the loopback, asks nobody who they are and compresses nothing. Beside it a plain HTTP port takes orders of the
 * benchmark itself.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { assert } from '../../src/base/errors.ts';
import type { ApiAddress, ApiLoad } from './address.ts';
import { createCertificates } from './certificates.ts';
import { createContent } from './content.ts';
import { createRouter } from './routes.ts';
import { createWatches } from './watches.ts';

export const serveApi = async (load: ApiLoad): Promise<ApiAddress> => {
  const { caPem, certificatePem, keyPem } = createCertificates();
  const content = createContent(load);
  const watches = createWatches(content.events);
  const api = createHttpsServer({ cert: certificatePem, key: keyPem }, createRouter(content, watches));
  let connections = 0;
  api.on('secureConnection', () => {
    connections += 1;
  });
  const control = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
    switch (request.url) {
      case '/take-connections':
        response.end(String(connections));
        connections = 0;
        return;
      case '/release':
        watches.release();
        response.end();
        return;
      default:
        response.writeHead(404).end();
    }
  });
  return {
    server: `https://127.0.0.1:${await listen(api)}`,
    caPem,
    control: `http://127.0.0.1:${await listen(control)}`,
  };
};

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null, 'a listening server has an address');
  return address.port;
};
