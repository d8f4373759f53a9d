/**
 * Adapter: a Node's agent over HTTPS (node:https), on a port of the loopback that it chooses. It answers only to a caller with a
 * certificate of the cluster's authority and the name of the API server's own client, and to nobody before it has one itself.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { messageOf } from '../../base/errors.ts';
import type { ServingPair } from '../../kube/node/serving-certificate.ts';
import type { SimResponse } from '../kernel/sim-transport.ts';
import type { NodeApi } from './node-api.ts';

export interface NodeServer {
  readonly port: number;
  /** From the next connection on. Whoever has no use for a certificate asks for none. */
  readonly useCertificate?: (pair: ServingPair) => void;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface NodeServerOptions {
  readonly host: string;
  /** PEM of the authority that callers must come from. */
  readonly clientAuthority: string;
  /** Whom to answer, by the common name of its certificate. */
  readonly caller: string;
}

/** How an agent is served: over HTTPS, or in process by a simulation. */
export type ServeNode = (api: NodeApi) => Promise<NodeServer>;

export const createServeNode =
  ({ host, clientAuthority, caller }: NodeServerOptions): ServeNode =>
  async (api) => {
    const server = createServer(
      { ca: clientAuthority, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
      (request, response) => send(judge(request, caller) ?? answer(api, request), response),
    );
    server.requestTimeout = 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
    return {
      port: parseAddress(server).port,
      useCertificate: ({ certificatePem, keyPem }) =>
        server.setSecureContext({ cert: certificatePem, key: keyPem.reveal(), ca: clientAuthority }),
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  };

const parseAddress = (server: Server): AddressInfo => server.address() as AddressInfo;

/** Undefined for whom we answer. */
const judge = ({ socket }: IncomingMessage, caller: string): SimResponse | undefined => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return refuse(401, 'Unauthorized');
  const { subject } = socket.getPeerCertificate();
  return subject?.CN === caller ? undefined : refuse(403, `only ${caller} is answered here`);
};

const refuse = (status: number, body: string): SimResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: `${body}\n`,
});

const answer = (api: NodeApi, { method = '', url = '/' }: IncomingMessage): SimResponse => {
  try {
    return api({ method, path: url });
  } catch (thrown) {
    return refuse(500, messageOf(thrown));
  }
};

const send = ({ status, headers, body }: SimResponse, response: ServerResponse): void => {
  response.writeHead(status, headers);
  if (typeof body === 'string') {
    response.end(body);
    return;
  }
  response.flushHeaders();
  const stop = body({
    push: (chunk) => void response.write(chunk),
    end: () => response.end(),
    fail: () => response.destroy(),
  });
  response.once('close', stop);
};
