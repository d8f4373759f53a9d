/**
 * Adapter: the API over HTTPS (node:https). Client certificates of the control plane's own authority and bearer tokens
 * say who asks; who shows nothing is anonymous, and the API's gate decides what that one may. It answers only to the
 * names that its certificate holds, so that no page in a browser reaches it under a name of its own (DNS rebinding).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { FleetError, messageOf, toFleetError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type Certificate, parseCertificateDer, parseCertificates } from '../pki/certificate.ts';
import type { ApiServer } from './api/api-server.ts';
import type { ApiResponse } from './api/http.ts';
import { ApiRefusal, replyRefusal } from './api/refusal.ts';
import { authenticate, type ShownCertificate } from './auth/authenticate.ts';
import type { PemPair } from './auth/client-certificate.ts';
import type { Tokens } from './auth/tokens/tokens.ts';

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

/** A watcher that lets more pile up than this is cut off; it resumes from the last version it saw. */
export interface UnsentLimits {
  readonly oneBytesMax: number;
  /** From here on a watcher counts as slow. */
  readonly slowBytes: number;
  /** Of all slow watchers together. */
  readonly allBytesMax: number;
}

export interface HttpsServer {
  readonly port: number;
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  close(): Promise<void>;
}

const CRLF = Buffer.from('\r\n');
const BODY_BYTES_MAX = 3 * 1024 * 1024;
const UNSENT_LIMITS: UnsentLimits = {
  oneBytesMax: 32 * 1024 * 1024,
  slowBytes: 256 * 1024,
  allBytesMax: 256 * 1024 * 1024,
};

export const startHttpsServer = async (options: HttpsServerOptions): Promise<HttpsServer> => {
  const { api, tokens, clock, logger, serving, clientAuthority, host = '127.0.0.1' } = options;
  const handling: Handling = {
    api,
    tokens,
    clock,
    names: namesOf(serving),
    certificates: new WeakMap(),
    streams: { limits: options.unsentLimits ?? UNSENT_LIMITS, slow: new Set(), frames: new WeakMap() },
  };
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
      answer(handling, request, response).catch((error: unknown) => {
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

interface Streams {
  readonly limits: UnsentLimits;
  /** Answers of which much is waiting to be read. */
  readonly slow: Set<ServerResponse>;
  /** What is sent to many is put into a chunk of HTTP once. */
  readonly frames: WeakMap<Uint8Array, Uint8Array>;
}

interface Handling {
  readonly api: ApiServer;
  readonly tokens: Tokens;
  readonly clock: Clock;
  /** What the Host header may say, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Read once per connection; whether it is still valid is asked every time. */
  readonly certificates: WeakMap<TLSSocket, Certificate | 'bad' | 'none'>;
  readonly streams: Streams;
}

const namesOf = ({ certificate }: PemPair): ReadonlySet<string> => {
  const [{ dnsNames, ipAddresses }] = parseCertificates(certificate);
  return new Set([...dnsNames, ...ipAddresses].map((name) => name.toLowerCase()));
};

const answer = async (handling: Handling, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { api, tokens, streams } = handling;
  const path = request.url ?? '/';
  const { authorization } = request.headers;
  const refusal = hostRefusal(handling, request.headers.host);
  const user = authenticate({ certificate: certificateOf(handling, request), authorization }, tokens);
  if (user === undefined || refusal !== undefined) {
    request.resume();
    send(replyRefusal(refusal ?? new ApiRefusal('Unauthorized', 'Unauthorized')), response, streams);
    return;
  }
  const body = await readBody(request);
  if (body === 'too-large') {
    const message = `Request entity too large: limit is ${BODY_BYTES_MAX}`;
    response.setHeader('connection', 'close');
    send(replyRefusal(new ApiRefusal('RequestEntityTooLarge', message)), response, streams);
    return;
  }
  const asked = { method: request.method ?? 'GET', path, headers: headersOf(request), body, user };
  send(await api.answer(asked), response, streams);
};

const hostRefusal = ({ names }: Handling, header = ''): ApiRefusal | undefined => {
  const name = header
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (names.has(name)) return undefined;
  const known = [...names].join(', ');
  return new ApiRefusal(
    'Forbidden',
    `the Host header ${JSON.stringify(header.slice(0, 100))} names no address of this server, which answers to ${known}`,
  );
};

const certificateOf = (handling: Handling, { socket }: IncomingMessage): ShownCertificate | undefined => {
  if (!(socket instanceof TLSSocket)) return undefined;
  const read = handling.certificates.get(socket) ?? readCertificate(socket);
  handling.certificates.set(socket, read);
  if (read === 'none') return undefined;
  if (read === 'bad' || handling.clock.now() >= read.notAfterMs) return { is: 'bad' };
  const { commonName = '', organizations, fingerprintSha256: sha256 } = read;
  return { is: 'good', commonName, organizations, sha256 };
};

const readCertificate = (socket: TLSSocket): Certificate | 'bad' | 'none' => {
  const { raw } = socket.getPeerCertificate();
  if (raw === undefined) return 'none';
  if (!socket.authorized) return 'bad';
  try {
    return parseCertificateDer(raw);
  } catch {
    // Signed by our authority and yet not readable: nobody we know.
    return 'bad';
  }
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

/**
 * Straight to the socket: Node would frame the same bytes for each of a thousand watchers, in three writes, which is a
 * third of what an event costs. Where it does not frame, or another answer is still going out, it has its way.
 */
const writeChunk = ({ frames }: Streams, response: ServerResponse, chunk: Uint8Array): void => {
  // An empty chunk would be the end.
  if (chunk.length === 0) return;
  if (!response.chunkedEncoding || response.socket === null) {
    response.write(chunk);
    return;
  }
  const known = frames.get(chunk);
  const frame = known ?? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, CRLF]);
  if (known === undefined) frames.set(chunk, frame);
  response.socket.write(frame);
};

/** Slow readers are cut off before what waits for them fills the memory. */
const isTooSlow = ({ limits, slow }: Streams, response: ServerResponse): boolean => {
  const unsentBytes = response.writableLength;
  if (unsentBytes < limits.slowBytes) {
    slow.delete(response);
    return false;
  }
  slow.add(response);
  if (unsentBytes > limits.oneBytesMax) return true;
  let totalBytes = 0;
  for (const { writableLength } of slow) totalBytes += writableLength;
  return totalBytes > limits.allBytesMax;
};

const send = ({ status, headers, body }: ApiResponse, response: ServerResponse, streams: Streams): void => {
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  let stop = (): void => undefined;
  response.once('close', () => {
    streams.slow.delete(response);
    stop();
  });
  stop = body({
    push: (chunk) => {
      if (response.destroyed) return;
      writeChunk(streams, response, chunk);
      if (isTooSlow(streams, response)) response.destroy();
    },
    end: () => response.end(),
    fail: () => response.destroy(),
  });
  if (response.destroyed) stop();
};
