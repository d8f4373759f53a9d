/** The real metrics forwarder: an HTTP proxy for one path of one VM. Not a relay of bytes, which a kept-alive connection would hang. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { withDeadline } from '../../../base/abort.ts';
import type { Cidr } from '../../../base/cidr.ts';
import type { Clock } from '../../../base/clock.ts';
import { FleetError, messageOf, toFleetError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import {
  cacheAnswer,
  type Forwarder,
  findLocalAddress,
  isAllowed,
  type LocalAddress,
  type MetricsForward,
  type OpenMetricsForward,
} from './forwarder.ts';

export interface MetricsServerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sources: readonly Cidr[];
  /** The addresses of this Mac. */
  readonly ownAddresses: () => readonly LocalAddress[];
  /** Where an address of a VM is really reached; itself on a Mac. */
  readonly mapAddress: (host: string) => string;
}

const PATH = '/metrics';
const RESOLVE_MS = 5_000;
const ANSWER_MS = 10_000;
const IDLE_MS = 60_000;
const DRAIN_MS = 5_000;

export const createMetricsForwards =
  (options: MetricsServerOptions): OpenMetricsForward =>
  async (forward) => {
    const life = new AbortController();
    const upstream = cacheAnswer(forward.upstream, options.clock.elapsed);
    const server = createServer({ headersTimeout: ANSWER_MS, keepAliveTimeout: IDLE_MS }, (asked, answer) => {
      void pass(options, { ...forward, upstream }, { asked, answer, signal: life.signal });
    });
    await listen(server, forward);
    return { close: createClose(options.clock, server, life) };
  };

const listen = (server: Server, { host, port }: MetricsForward): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (cause: Error): void => {
      const message = `metrics cannot be passed on at ${host}:${port}: ${messageOf(cause)}`;
      reject(new FleetError('unavailable', { code: 'ForwarderNotBound', message, cause }));
    };
    server.once('error', onError);
    server.listen({ host, port }, () => {
      server.off('error', onError);
      resolve();
    });
  });

const createClose = (clock: Clock, server: Server, life: AbortController): Forwarder['close'] => {
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      const cancelForce = clock.schedule(DRAIN_MS, () => server.closeAllConnections());
      server.close(() => {
        cancelForce();
        life.abort();
        resolve();
      });
      server.closeIdleConnections();
    });
  return () => {
    closing ??= close();
    return closing;
  };
};

interface Exchange {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  readonly signal: AbortSignal;
}

const pass = async (options: MetricsServerOptions, forward: MetricsForward, exchange: Exchange): Promise<void> => {
  const { asked, answer, signal } = exchange;
  const refusal = refuse(options, asked);
  if (refusal !== undefined) return end(answer, refusal);
  try {
    const deadline = { clock: options.clock, timeoutMs: RESOLVE_MS, signal, doing: 'finding the VM' };
    const host = options.mapAddress(await withDeadline(deadline, forward.upstream));
    await relay(open(options, { host, port: forward.port, asked }), answer);
  } catch (thrown) {
    options.logger.warn('Metrics of a VM cannot be passed on', { port: forward.port, error: toFleetError(thrown) });
    end(answer, 502);
  }
};

/** The details of a refusal are nobody's business. */
const refuse = (
  { sources }: MetricsServerOptions,
  { socket, url = '', method = '' }: IncomingMessage,
): number | undefined => {
  if (!isAllowed(socket.remoteAddress, sources)) return 403;
  if (url.split('?')[0] !== PATH) return 404;
  return method === 'GET' || method === 'HEAD' ? undefined : 405;
};

const TEXT: Readonly<Record<number, string>> = {
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  502: 'the metrics of this Pod cannot be read now',
};

const end = (answer: ServerResponse, status: number): void => {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  answer.writeHead(status, { 'content-type': 'text/plain' }).end(`${TEXT[status]}\n`);
};

interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly asked: IncomingMessage;
}

const open = (options: MetricsServerOptions, { host, port, asked }: Upstream): ClientRequest => {
  const localAddress = findLocalAddress(host, options.ownAddresses());
  const { accept = '*/*' } = asked.headers;
  const encoding = asked.headers['accept-encoding'];
  return request({
    ...{ host, port, path: asked.url, method: asked.method, timeout: ANSWER_MS, agent: false },
    headers: { accept, host: `${host}:${port}`, ...(encoding !== undefined && { 'accept-encoding': encoding }) },
    ...(localAddress !== undefined && { localAddress }),
  });
};

const PASSED_ON = ['content-type', 'content-length', 'content-encoding'];

const relay = (upstream: ClientRequest, answer: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    upstream.once('timeout', () => upstream.destroy(new Error('no answer in time')));
    upstream.once('error', reject);
    answer.once('close', () => upstream.destroy());
    upstream.once('response', (response) => {
      const headers = PASSED_ON.flatMap((name) => {
        const value = response.headers[name];
        return value === undefined ? [] : [[name, value] as const];
      });
      answer.writeHead(response.statusCode ?? 502, Object.fromEntries(headers));
      response.once('error', reject);
      response.once('end', resolve);
      response.pipe(answer);
    });
    upstream.end();
  });
