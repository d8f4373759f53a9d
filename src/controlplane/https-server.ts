/**
 * Adapter: the API over HTTPS (node:https). Client certificates of the control plane's own authority and bearer tokens
 * say who asks; anonymous requests reach the health paths only. Everybody who is authenticated may do everything: roles
 * are not enforced yet.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { FleetError, messageOf, toFleetError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type ApiServer, isHealthPath } from './api/api-server.ts';
import type { ApiResponse } from './api/http.ts';
import { ApiRefusal, replyRefusal } from './api/refusal.ts';
import { authenticate, type Credentials, type KnownToken } from './auth/authenticate.ts';
import type { PemPair } from './auth/client-certificate.ts';
import { ANONYMOUS } from './auth/user.ts';

export interface HttpsServerOptions {
  readonly api: ApiServer;
  readonly logger: Logger;
  readonly serving: PemPair;
  /** PEM of the authority that client certificates must come from. */
  readonly clientAuthority: string;
  readonly tokens?: readonly KnownToken[];
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface HttpsServer {
  readonly port: number;
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  close(): Promise<void>;
}

const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** A watcher that lets this much pile up is cut off; it resumes from the last version it saw. */
const UNSENT_BYTES_MAX = 32 * 1024 * 1024;

export const startHttpsServer = async (options: HttpsServerOptions): Promise<HttpsServer> => {
  const { api, logger, serving, clientAuthority, tokens = [], host = '127.0.0.1' } = options;
  const server = createServer(
    {
      cert: serving.certificate,
      key: serving.key.reveal(),
      ca: clientAuthority,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    },
    (request, response) => {
      answer({ api, tokens }, request, response).catch((error: unknown) => {
        logger.warn('A request could not be answered', { path: request.url, error: toFleetError(error) });
        response.destroy();
      });
    },
  );
  // Watches say nothing for long, and a list of a large fleet takes its time to arrive.
  server.requestTimeout = 0;
  await listen(server, options.port, host);
  const { port } = parseAddress(server);
  const name = host.includes(':') ? `[${host}]` : host;
  return { port, url: `https://${name}:${port}`, close: () => close(server) };
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

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

interface Handling {
  readonly api: ApiServer;
  readonly tokens: readonly KnownToken[];
}

const answer = async ({ api, tokens }: Handling, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = request.url ?? '/';
  const user = authenticate(credentialsOf(request), tokens) ?? (isHealthPath(path) ? ANONYMOUS : undefined);
  if (user === undefined) {
    request.resume();
    send(replyRefusal(new ApiRefusal('Unauthorized', 'Unauthorized')), response);
    return;
  }
  const body = await readBody(request);
  if (body === 'too-large') {
    const message = `Request entity too large: limit is ${BODY_BYTES_MAX}`;
    response.setHeader('connection', 'close');
    send(replyRefusal(new ApiRefusal('RequestEntityTooLarge', message)), response);
    return;
  }
  send(api.handle({ method: request.method ?? 'GET', path, headers: headersOf(request), body, user }), response);
};

const credentialsOf = ({ socket, headers }: IncomingMessage): Credentials => {
  const { authorization } = headers;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return { certificate: undefined, authorization };
  const { subject } = socket.getPeerCertificate();
  const listOf = (value: string | string[] | undefined): readonly string[] =>
    value === undefined ? [] : Array.isArray(value) ? value : [value];
  const [commonName = ''] = listOf(subject?.CN);
  return { certificate: { commonName, organizations: listOf(subject?.O) }, authorization };
};

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** Leaves a body that is too large unread, and the connection open for the refusal. */
const readBody = (request: IncomingMessage): Promise<Buffer | 'too-large'> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) {
      resolve('too-large');
      return;
    }
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= BODY_BYTES_MAX) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      resolve('too-large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks, sizeBytes)));
    request.on('error', reject);
  });

const send = ({ status, headers, body }: ApiResponse, response: ServerResponse): void => {
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  let stop = (): void => undefined;
  response.once('close', () => stop());
  stop = body({
    push: (chunk) => {
      if (response.destroyed) return;
      response.write(chunk);
      if (response.writableLength > UNSENT_BYTES_MAX) response.destroy();
    },
    end: () => response.end(),
    fail: () => response.destroy(),
  });
  if (response.destroyed) stop();
};
