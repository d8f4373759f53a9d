/** Adapter: `/healthz`, `/readyz` and `/metrics` over plain HTTP, where probes and Prometheus look for them. */
import type { Server } from 'node:http';
import { FleetError, messageOf } from '../../base/errors.ts';

/** What is not given is not served. */
export interface HealthChecks {
  /** False makes Kubernetes restart the process. */
  readonly isAlive?: () => boolean;
  /** Why the process cannot serve yet, or undefined when it can. */
  readonly notReadyBecause?: () => string | undefined;
  readonly metrics?: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface HealthServer {
  /** The port bound, also when 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

const plain = (status: number, text: string): Answer => ({ status, contentType: 'text/plain; charset=utf-8', text });

const NOT_FOUND = plain(404, 'not found');

const answer = async (path: string | undefined, checks: HealthChecks): Promise<Answer> => {
  const { isAlive, notReadyBecause, metrics } = checks;
  switch (path) {
    case '/healthz':
      if (isAlive === undefined) return NOT_FOUND;
      return isAlive() ? plain(200, 'ok') : plain(500, 'not alive');
    case '/readyz': {
      if (notReadyBecause === undefined) return NOT_FOUND;
      const reason = notReadyBecause();
      return reason === undefined ? plain(200, 'ok') : plain(503, `not ready: ${reason}`);
    }
    case '/metrics':
      return metrics === undefined ? NOT_FOUND : { status: 200, ...(await metrics()) };
    default:
      return NOT_FOUND;
  }
};

/** Listens on `host:port`, on every interface when the host is empty; rejects with `unavailable` when the port is taken. */
export const startHealthServer = async (
  address: { readonly host: string; readonly port: number },
  checks: HealthChecks,
): Promise<HealthServer> => {
  // Importing node:http as a module evaluates its WebSocket exports, which costs every manager 3 MB.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((request, response) => {
    const send = ({ status, contentType, text }: Answer): void => {
      response.writeHead(status, { 'content-type': contentType }).end(text);
    };
    answer(request.url?.split('?')[0], checks).then(send, (error: unknown) => send(plain(500, messageOf(error))));
  });
  await listen(server, address);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const listen = (server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new FleetError('unavailable', {
          code: 'HealthPortUnavailable',
          message: `cannot listen on ${host}:${port}: ${cause.message}`,
          hint: 'Choose another address with --health-probe-bind-address or --metrics-bind-address.',
          cause,
        }),
      ),
    );
    server.listen(host === '' ? { port } : { port, host }, resolve);
  });
