/** Adapter: Scaleway's API over real sockets, by undici, on kept-alive connections. */
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { FleetError, messageOf } from '../../base/errors.ts';
import type { CloudTransport } from '../port/transport.ts';

export interface HttpCloudTransport {
  readonly send: CloudTransport;
  close(): Promise<void>;
}

/** A page of a hundred servers is 150 KB; whatever is far beyond that is no answer of Scaleway's. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const CONNECTIONS_MAX = 8;

export interface HttpCloudTransportOptions {
  /** Trusted instead of the platform's authorities. */
  readonly caPem?: string;
}

export const createHttpCloudTransport = (
  apiUrl: string,
  { caPem }: HttpCloudTransportOptions = {},
): HttpCloudTransport => {
  const { origin } = new URL(apiUrl);
  const pool = new Pool(origin, {
    connections: CONNECTIONS_MAX,
    ...(caPem === undefined ? {} : { connect: { ca: caPem } }),
  });
  return {
    send: async ({ method, url, headers, body, signal }) => {
      const { pathname, search } = new URL(url);
      try {
        const response = await request.call(pool, {
          ...{ method: toMethod(method), path: `${pathname}${search}`, headers, signal },
          ...(body === undefined ? {} : { body }),
        });
        return { status: response.statusCode, headers: flatten(response.headers), body: await readBounded(response) };
      } catch (thrown) {
        throw thrown instanceof FleetError ? thrown : unreachable(origin, thrown, signal);
      }
    },
    close: () => pool.close(),
  };
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const toMethod = (method: string): Dispatcher.HttpMethod => {
  const known = METHODS.find((name) => name === method);
  if (known !== undefined) return known;
  throw new FleetError('bug', { code: 'StrangeMethod', message: `the SDK sends ${method}` });
};

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

const readBounded = async ({ body }: Dispatcher.ResponseData): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: true })) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      throw new FleetError('contract', {
        code: 'AnswerTooLarge',
        message: `Scaleway's answer is larger than ${BODY_BYTES_MAX} bytes`,
        hint: 'A proxy may stand in between; else report this.',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const unreachable = (origin: string, thrown: unknown, signal: AbortSignal): FleetError => {
  if (signal.aborted && signal.reason instanceof FleetError) return signal.reason;
  return new FleetError('unavailable', {
    code: 'CloudUnreachable',
    message: `no whole answer came from ${origin}: ${messageOf(thrown)}`,
    hint: 'Check the network and the proxy; status.scaleway.com tells about incidents.',
    cause: thrown,
  });
};
