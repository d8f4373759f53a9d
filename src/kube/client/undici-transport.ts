/**
 * Adapter: the Transport over real sockets, by undici. One pool of kept-alive HTTP/1.1 connections per cluster and client
 * certificate; a new certificate gets a new pool while the requests under way end on the old one.
 */
import './without-http2.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { abortable } from '../../base/abort.ts';
import { cancelled, FleetError } from '../../base/errors.ts';
import { certificateExpired, type Endpoint, toConnectionError } from './connection-error.ts';
import { type Credentials, type CredentialsSource, sameCertificate, toExpiry } from './login/credentials.ts';
import type { Transport, TransportRequest } from './transport.ts';

export interface UndiciTransportOptions {
  /** Base address; a path in it goes before every request's. */
  readonly server: string;
  /** Where this configuration comes from, for errors. */
  readonly source: string;
  readonly credentials: CredentialsSource;
  /** Whom to trust; absent: the public authorities. */
  readonly caPem?: string;
  /** The name that the server's certificate must carry, when it is not the host's. */
  readonly serverName?: string;
  readonly verifyServer: 'yes' | 'no';
}

/**
 * Each watch holds a connection, and the client bounds all other requests by itself; this bound only keeps a mistake from
 * taking every socket.
 */
const CONNECTIONS_MAX = 256;
/** Longer than the gap between two heartbeats, shorter than any load balancer's patience. */
const KEEP_ALIVE_MS = 30_000;
/** A watch answers its headers at once; every other call has its own, shorter deadline. */
const HEADERS_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

export const createUndiciTransport = (options: UndiciTransportOptions): Transport => {
  const { origin, pathname } = new URL(options.server);
  const endpoint: Endpoint = { server: origin, source: options.source };
  const pools = createPools(origin, options);
  const prefix = pathname.replace(/\/+$/, '');

  const sendAs = (credentials: Credentials, wanted: TransportRequest): Promise<Dispatcher.ResponseData> => {
    const { permit, signal } = wanted;
    const pool = pools.for(credentials);
    const dispatcher = permit === undefined ? pool : asking(permit, pool);
    return abortable(request.call(dispatcher, toUndiciRequest(wanted, prefix, credentials)), signal);
  };

  /** A 401 means that nothing was done, so any request may be sent again, once, by whoever has newer credentials. */
  const sendAgain = async (refusal: Dispatcher.ResponseData, shown: Credentials, request: TransportRequest) => {
    const renewed = await options.credentials.renew(shown, request.signal).catch(async (thrown: unknown) => {
      await refusal.body.dump();
      throw thrown;
    });
    const expired = renewed === shown ? toExpiry(shown, refusal.headers['date']) : undefined;
    if (renewed === shown && expired === undefined) return refusal;
    await refusal.body.dump();
    if (expired !== undefined) throw certificateExpired(expired, endpoint);
    return sendAs(renewed, request);
  };

  const toError = (thrown: unknown, signal: AbortSignal): FleetError => {
    if (pools.isClosed) return closed();
    return signal.aborted ? abortReason(signal) : toConnectionError(thrown, endpoint);
  };

  async function* readChunks(body: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    try {
      for await (const chunk of body) yield chunk;
      // A request is over when its connection is free again, and undici frees it one turn of the loop after the body's
      // end. Whoever came back sooner would be given another connection.
      await nextTurn();
    } catch (thrown) {
      throw toError(thrown, signal);
    }
  }

  return {
    send: async (request) => {
      try {
        const shown = await options.credentials.current(request.signal);
        const first = await sendAs(shown, request);
        const { statusCode, headers, body } = first.statusCode === 401 ? await sendAgain(first, shown, request) : first;
        return { status: statusCode, headers: toHeaders(headers), body: readChunks(body, request.signal) };
      } catch (thrown) {
        throw toError(thrown, request.signal);
      }
    },
    close: () => pools.close(),
  };
};

/** The pool, but each request asks when its connection is there and nothing of it is written yet. */
const asking = (permit: () => void, pool: Pool): Dispatcher =>
  pool.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (...args) => {
      permit();
      start?.(...args);
    };
    return dispatch(options, handler);
  });

interface Pools {
  /** The connections made with these credentials. New ones retire the old: what is under way there ends there. */
  for(credentials: Credentials): Pool;
  readonly isClosed: boolean;
  close(): Promise<void>;
}

const createPools = (origin: string, options: UndiciTransportOptions): Pools => {
  const open = new Set<Pool>();
  let current: { readonly credentials: Credentials; readonly pool: Pool } | undefined;
  let isClosed = false;

  const retire = (pool: Pool): void => {
    const forget = (): boolean => open.delete(pool);
    pool.close().then(forget, forget);
  };

  return {
    for: (credentials) => {
      if (isClosed) throw closed();
      if (current !== undefined && sameCertificate(current.credentials, credentials)) return current.pool;
      const pool = createPool(origin, options, credentials);
      open.add(pool);
      if (current !== undefined) retire(current.pool);
      current = { credentials, pool };
      return pool;
    },
    get isClosed() {
      return isClosed;
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...open].map((pool) => pool.destroy()));
    },
  };
};

const createPool = (origin: string, options: UndiciTransportOptions, { certificate }: Credentials): Pool => {
  const secureContext = createSecureContext({
    ...(options.caPem === undefined ? {} : { ca: options.caPem }),
    ...(certificate === undefined ? {} : { cert: certificate.certificatePem, key: certificate.keyPem.reveal() }),
  });
  return new Pool(origin, {
    connections: CONNECTIONS_MAX,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // A watch may be silent for minutes. The body of any other call is bounded by that call's deadline.
    bodyTimeout: 0,
    connect: {
      secureContext,
      rejectUnauthorized: options.verifyServer === 'yes',
      timeout: CONNECT_TIMEOUT_MS,
      ...(options.serverName === undefined ? {} : { servername: options.serverName }),
    },
  });
};

const toUndiciRequest = (request: TransportRequest, prefix: string, { token }: Credentials) => {
  const { method, path, headers, body, signal } = request;
  return {
    method,
    path: prefix + path,
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token.reveal()}` },
    signal,
    ...(body === undefined ? {} : { body }),
    // Without this undici gives up the connection after every DELETE that has a body.
    ...(method === 'DELETE' ? { reset: false } : {}),
  };
};

const toHeaders = (headers: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> => {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
};

const abortReason = (signal: AbortSignal): FleetError =>
  signal.reason instanceof FleetError ? signal.reason : cancelled();

const closed = (): FleetError =>
  new FleetError('cancelled', { code: 'TransportClosed', message: 'the connection to the cluster was closed' });
