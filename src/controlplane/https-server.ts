/**
 * Adapter: the API over HTTPS (node:https). Which version of HTTP a connection speaks, its ends agree upon while they greet
 * each other; https/answer.ts answers over both alike.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { FleetError, messageOf, toFleetError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { parseCertificates } from '../pki/certificate.ts';
import type { ApiServer } from './api/api-server.ts';
import type { PemPair } from './auth/client-certificate.ts';
import type { Tokens } from './auth/tokens/tokens.ts';
import { type Answering, answer } from './https/answer.ts';
import type { Exchange } from './https/exchange.ts';
import { createHttp1Exchange, type Frames } from './https/http1.ts';
import { createHttp2Connections, type Http2Connections } from './https/http2.ts';
import { createShownCertificates } from './https/shown-certificates.ts';
import { createUnsent, type UnsentLimits } from './https/unsent.ts';

export interface HttpsServerOptions {
  readonly api: ApiServer;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly serving: PemPair;
  /** PEM of the authority that client certificates must come from. */
  readonly clientAuthority: string;
  /** Loopback unless it is said otherwise. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly unsentLimits?: UnsentLimits;
}

export interface HttpsServer {
  readonly port: number;
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  close(): Promise<void>;
}

const HTTP2 = 'h2';

export const startHttpsServer = async (options: HttpsServerOptions): Promise<HttpsServer> => {
  const { clock, logger, host = '127.0.0.1' } = options;
  const answering = createAnswering(options);
  const onExchange = (exchange: Exchange): void => {
    answer(answering, exchange).catch((thrown: unknown) => {
      const error = toFleetError(thrown);
      logger.warn('A request could not be answered', { path: exchange.path, error });
      exchange.abort(error);
    });
  };
  const http2 = createHttp2Connections({ clock, logger, onExchange });
  const server = createTlsServer(options, onExchange);
  routeByProtocol(server, http2);
  const sockets = followSockets(server);
  await listen(server, options.port, host);
  const { port } = parseAddress(server);
  const name = host.includes(':') ? `[${host}]` : host;
  return { port, url: `https://${name}:${port}`, close: () => close(server, { http2, sockets }) };
};

const createAnswering = ({ api, tokens, clock, serving, unsentLimits }: HttpsServerOptions): Answering => ({
  ...{ api, tokens, names: namesOf(serving) },
  certificates: createShownCertificates(clock),
  unsent: createUnsent(unsentLimits),
});

const namesOf = ({ certificate }: PemPair): ReadonlySet<string> => {
  const [{ dnsNames, ipAddresses }] = parseCertificates(certificate);
  return new Set([...dnsNames, ...ipAddresses].map((name) => name.toLowerCase()));
};

const createTlsServer = (
  { serving, clientAuthority }: HttpsServerOptions,
  onExchange: (exchange: Exchange) => void,
): Server => {
  const frames: Frames = new WeakMap();
  const server = createServer(
    {
      cert: serving.certificate,
      key: serving.key.reveal(),
      ca: clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ALPNProtocols: [HTTP2, 'http/1.1'],
    },
    (request, response) => onExchange(createHttp1Exchange(frames, request, response)),
  );
  // Watches say nothing for long, and a list of a large fleet takes its time to arrive.
  server.requestTimeout = 0;
  return server;
};

/** Node's own listener speaks HTTP/1.1 to every connection; here it gets those alone that want that. */
const routeByProtocol = (server: Server, http2: Http2Connections): void => {
  const http1 = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === HTTP2) http2.accept(socket);
    else for (const listener of http1) Reflect.apply(listener, server, [socket]);
  });
};

const parseAddress = (server: Server): AddressInfo => server.address() as AddressInfo;

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      reject(
        new FleetError('unavailable', {
          code: 'CannotListen',
          message: `the API cannot listen on ${host}:${port}: ${messageOf(error)}`,
          hint: 'Choose another port; 0 takes a free one.',
          cause: error,
        }),
      );
    };
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve();
    });
  });

/** Also those that have not yet greeted, which nobody else knows of. */
const followSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
};

interface Connected {
  readonly http2: Http2Connections;
  readonly sockets: ReadonlySet<Socket>;
}

const close = (server: Server, { http2, sockets }: Connected): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    http2.sayGoodbye();
    for (const socket of sockets) socket.destroy();
  });
