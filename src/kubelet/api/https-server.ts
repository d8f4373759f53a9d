/**
 * Adapter: the agent's API over HTTPS (node:https). A caller's certificate is asked for and need not be there: then a token is. Nothing
 * is answered before there is a certificate to serve with.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createListener, type Server as Listener } from 'node:net';
import { TLSSocket } from 'node:tls';
import { FleetError, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { Secret } from '../../base/secret.ts';
import type { KnownUser } from '../../kube/client/access-review.ts';
import type { ServingPair } from '../../kube/node/serving-certificate.ts';
import type { Access, Proof } from './access.ts';
import { type ApiResponse, parseTarget, text } from './api-message.ts';
import type { KubeletApi } from './kubelet-api.ts';

export interface KubeletServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** PEM of the authority that callers' certificates must come from; undefined: none is known, and no certificate counts. */
  readonly clientAuthority: string | undefined;
  readonly access: Access;
  readonly logger: Logger;
}

export interface KubeletServer {
  readonly port: number;
  /** Until then everybody is told to come again. */
  answerWith(api: KubeletApi): void;
  /** From the next connection on. */
  useCertificate(pair: ServingPair): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Listens. What it answers comes later, because whoever answers must know the port. */
export const startKubeletServer = async (options: KubeletServerOptions): Promise<KubeletServer> => {
  let api: KubeletApi = async () => text(503, 'the agent is starting');
  let pair: ServingPair | undefined;
  let inner: Server | undefined;
  const takeCertificate = (): void => inner?.setSecureContext(toContext(options, pair));
  const outer = createListener((first) => {
    inner ??= createInner(options, (exchange) => void answer(options, api, exchange));
    takeCertificate();
    // From here on it listens itself, in the place of the other.
    if (!inner.listening) inner.listen(outer);
    inner.emit('connection', first);
  });
  const port = await listen(outer, options);
  return {
    port,
    answerWith: (given) => {
      api = given;
    },
    useCertificate: (given) => {
      pair = given;
      takeCertificate();
    },
    close: () =>
      new Promise((resolve) => {
        (inner ?? outer).close(() => resolve());
        inner?.closeAllConnections();
      }),
  };
};

/** The part that speaks TLS. It is made for whoever asks first: most agents are never asked, and one that idles takes thirty times the memory of its listener. */
const createInner = (options: KubeletServerOptions, onExchange: (exchange: Exchange) => void): Server => {
  const server = createServer(
    { ...toContext(options, undefined), requestCert: true, rejectUnauthorized: false },
    (request, response) => onExchange({ request, response }),
  );
  // A log may be followed for days.
  server.requestTimeout = 0;
  return server;
};

const toContext = ({ clientAuthority }: KubeletServerOptions, pair: ServingPair | undefined) => ({
  // Without a list Node trusts all public authorities.
  ...{ ca: clientAuthority === undefined ? [] : [clientAuthority], minVersion: 'TLSv1.2' as const },
  ...(pair !== undefined && { cert: pair.certificatePem, key: pair.keyPem.reveal() }),
});

const listen = (server: Listener, { host, port }: KubeletServerOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new FleetError('unavailable', {
          code: 'KubeletPortUnavailable',
          message: `cannot listen on ${host}:${port}: ${cause.message}`,
          hint: 'Another agent may run here; choose another port with --kubelet-port.',
          cause,
        }),
      ),
    );
    server.listen({ host, port }, () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const answer = async (options: KubeletServerOptions, api: KubeletApi, exchange: Exchange): Promise<void> => {
  const { request, response } = exchange;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    await send(await decide(options, api, { request, signal: gone.signal }), response);
  } catch (thrown) {
    if (gone.signal.aborted) return;
    const error = toFleetError(thrown);
    options.logger.warn('A question could not be answered', { path: request.url?.split('?')[0], error });
    if (response.headersSent) response.destroy();
    else await send(text(error.kind === 'unavailable' ? 503 : 500, error.message), response);
  }
};

interface Asked {
  readonly request: IncomingMessage;
  readonly signal: AbortSignal;
}

const decide = async (
  { access }: KubeletServerOptions,
  api: KubeletApi,
  { request, signal }: Asked,
): Promise<ApiResponse> => {
  const { method = '', url = '/' } = request;
  const target = parseTarget(url);
  if (target === undefined) return text(400, 'the path is not written plainly');
  const judgement = await access.judge(proofOf(request), { method, pathname: target.pathname }, signal);
  if (judgement !== 'allowed') return text(judgement.status, judgement.message);
  return api({ method, ...target, signal });
};

const BEARER = /^bearer +(\S+)$/i;

const proofOf = ({ socket, headers }: IncomingMessage): Proof => {
  const certified = socket instanceof TLSSocket && socket.authorized ? userOf(socket) : undefined;
  const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
  return {
    ...(certified === undefined ? {} : { certified }),
    ...(token === undefined ? {} : { token: new Secret(token) }),
  };
};

/** As API servers read a certificate: the common name is the user, organizations are groups. */
const userOf = (socket: TLSSocket): KnownUser | undefined => {
  const { subject } = socket.getPeerCertificate();
  const { CN, O } = subject ?? {};
  const [username] = [CN ?? ''].flat();
  if (username === undefined || username === '') return undefined;
  return { username, groups: [...(O === undefined ? [] : [O].flat()), 'system:authenticated'] };
};

/** No faster than the other side reads. */
const send = async ({ status, contentType, body }: ApiResponse, response: ServerResponse): Promise<void> => {
  response.writeHead(status, { 'content-type': contentType });
  if (typeof body === 'string') {
    response.end(body);
    return;
  }
  response.flushHeaders();
  for await (const chunk of body) {
    if (!response.write(chunk)) await drained(response);
    if (response.destroyed) return;
  }
  response.end();
};

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
    if (response.destroyed) done();
  });
