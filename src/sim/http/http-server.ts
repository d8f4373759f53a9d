/** Adapter: HTTP or HTTPS on a real port for whoever answers one whole request at a time: a simulated API, and its control. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { ApiAnswer, ApiRequest } from './api-message.ts';

export interface HttpServerOptions {
  readonly clock: Clock;
  /** 0 takes a free one. */
  readonly port: number;
  readonly host?: string;
  /** PEM; plain HTTP without it. */
  readonly tls?: { readonly certificate: string; readonly key: Secret<string> };
  /** Undefined breaks the connection. What it throws is answered with 500. */
  readonly answer: (request: ApiRequest) => ApiAnswer | undefined | Promise<ApiAnswer | undefined>;
}

export interface HttpServer {
  /** `http://127.0.0.1:4000`. */
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The largest request of the SDK is an order of some hundred servers. */
const BODY_BYTES_MAX = 1024 * 1024;

export const startHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { tls, port, host = '127.0.0.1' } = options;
  const listener: RequestListener = (request, response) => {
    handle(options, request, response).catch(() => response.destroy());
  };
  const server =
    tls === undefined
      ? createServer(listener)
      : createTlsServer({ cert: tls.certificate, key: tls.key.reveal() }, listener);
  await listen(server, port, host);
  const bound = parseAddress(server);
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${bound.port}`,
    close: () => close(server),
  };
};

const parseAddress = (server: Server): AddressInfo => server.address() as AddressInfo;

/** Rejects when the caller went away; nobody is left to tell. */
const handle = async (
  { clock, answer }: HttpServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const body = await readBounded(request);
  if (body === undefined) {
    send(response, { ...problem(413, 'payload_too_large', `a body has at most ${BODY_BYTES_MAX} bytes`) });
    return;
  }
  const { method = '', url: target = '', headers } = request;
  const shown = await toAnswer(answer, { method, target, body, headers: flatten(headers), caller: callerOf(headers) });
  if (shown === undefined) response.destroy();
  else if (shown.delayMs === undefined) send(response, shown);
  else {
    const cancel = clock.schedule(shown.delayMs, () => send(response, shown));
    response.once('close', cancel);
  }
};

const toAnswer = async (answer: HttpServerOptions['answer'], request: ApiRequest): Promise<ApiAnswer | undefined> => {
  try {
    return await answer(request);
  } catch (error) {
    return problem(500, 'internal_error', `the simulator failed: ${messageOf(error)}`);
  }
};

const problem = (status: number, type: string, message: string): ApiAnswer => ({
  status,
  headers: { 'content-type': 'application/json', connection: 'close' },
  body: JSON.stringify({ message, type }),
});

const send = (response: ServerResponse, { status, headers, body }: ApiAnswer): void => {
  response.writeHead(status, headers).end(body);
};

/** Undefined when it is too long; the rest is not read. */
const readBounded = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const flatten = (headers: IncomingMessage['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

/** The program that asks. For whom, its key tells. */
const callerOf = (headers: IncomingMessage['headers']): string => headers['user-agent'] ?? 'unknown';

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (cause: Error): void =>
      reject(
        new FleetError('unavailable', {
          code: 'CannotListen',
          message: `the simulator cannot listen on ${host}:${port}: ${messageOf(cause)}`,
          hint: 'Choose another port; 0 takes a free one.',
          cause,
        }),
      );
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
