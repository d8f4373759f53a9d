/**
 * A proxy in front of the API server that misbehaves on request. Who calls is passed on: the proxy reads the caller's
 * client certificate and speaks to the server as a front proxy, which may name the user; bearer tokens go through as
 * they are. It speaks HTTP/1.1 and knows no upgrades: exec and port-forward do not pass.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock, sleep } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import type { Cluster } from './cluster.ts';
import { createFaultSwitch, type Fault, type FaultSwitch, kindOf, type RunningFault } from './fault-switch.ts';
import { ADMIN } from './open-cluster.ts';
import { type ClusterUser, readPki, writePrivate } from './pki.ts';

export interface FaultProxy {
  readonly url: string;
  /** Through the proxy, as the administrator. */
  readonly kubeconfig: string;
  kubeconfigFor(user: ClusterUser): string;
  /** From now on, in the place of the fault before. Frozen and reset hit open streams as well. */
  set(fault: Fault): void;
  /** New requests go through again. What was frozen stays frozen until its caller gives up. */
  clear(): void;
  /** How many requests the present or last fault was done to. */
  readonly hits: number;
  close(): Promise<void>;
}

interface Upstream {
  readonly server: string;
  /** With the certificate of a front proxy. */
  readonly trusted: Agent;
  /** Without any. */
  readonly plain: Agent;
}

export const startFaultProxy = async (cluster: Cluster): Promise<FaultProxy> => {
  const pki = readPki(cluster.dir);
  const upstream = connectUpstream(cluster, (file) => readFileSync(pki.path(file), 'utf8'));
  const ids = createIds(createSystemRandom());
  const faults = createFaultSwitch();
  const rawSockets = new Map<number | undefined, Socket>();
  const { certificate, key } = pki.issueServer({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const server = createServer(
    { cert: certificate, key: key.reveal(), ca: pki.caPem, requestCert: true, rejectUnauthorized: false },
    (incoming, response) => {
      const reset = (): void => {
        rawSockets.get(incoming.socket.remotePort)?.resetAndDestroy();
        incoming.socket.destroy();
      };
      handle({ incoming, response, upstream, faults, reset }).catch(reset);
    },
  );
  // Only below TLS can a connection be reset.
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort;
    rawSockets.set(port, socket);
    socket.once('close', () => rawSockets.delete(port));
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${parsePort(server.address())}`;
  const kubeconfigFor = (user: ClusterUser): string => {
    const path = join(cluster.dir, 'users', `proxy-${ids.uuid()}.kubeconfig`);
    writePrivate(path, pki.kubeconfig(url, user));
    return path;
  };
  return {
    url,
    kubeconfig: kubeconfigFor(ADMIN),
    kubeconfigFor,
    set: faults.set,
    clear: faults.clear,
    get hits() {
      return faults.hits;
    },
    close: async () => {
      upstream.trusted.destroy();
      upstream.plain.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const parsePort = (address: unknown): number => (address as AddressInfo).port;

const connectUpstream = ({ server, caPem }: Cluster, read: (file: string) => string): Upstream => {
  const frontProxy = { cert: read('front-proxy-client.crt'), key: read('front-proxy-client.key') };
  return {
    server,
    trusted: new Agent({ keepAlive: true, ca: caPem, ...frontProxy }),
    plain: new Agent({ keepAlive: true, ca: caPem }),
  };
};

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: Upstream;
  readonly faults: FaultSwitch;
  /** Breaks the caller's connection off. */
  readonly reset: () => void;
}

const handle = async (exchange: Exchange): Promise<void> => {
  const { incoming, response, faults, reset } = exchange;
  const kind = kindOf(incoming.method ?? 'GET', incoming.url ?? '/');
  const fault = faults.take(kind, incoming.url ?? '/');
  if (fault?.what === 'delay') await sleep(createSystemClock(), fault.ms, neverAborted());
  if (fault?.what === 'reset' && fault.afterBytes === undefined) return reset();
  if (fault?.what === 'answer') return answer(response, fault);
  const old = fault?.what === 'stale-list' ? faults.recorded(incoming.url ?? '/') : undefined;
  if (old !== undefined) {
    response.writeHead(200, old.headers);
    response.end(old.body);
    return;
  }
  forward(exchange, { kind, fault });
};

const answer = (response: ServerResponse, { status, retryAfterSeconds }: Extract<Fault, { what: 'answer' }>): void => {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: 'a fault on request' };
  const reason = { 410: 'Expired', 429: 'TooManyRequests', 500: 'InternalError', 503: 'ServiceUnavailable' }[status];
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, { 'content-type': 'application/json', ...retryAfter });
  response.end(JSON.stringify({ ...body, reason }));
};

const forward = (exchange: Exchange, running: Omit<RunningFault, 'reset'>): void => {
  const { incoming, response, upstream, faults, reset } = exchange;
  const { agent, headers } = identify(incoming, upstream);
  const url = new URL(incoming.url ?? '/', upstream.server);
  const sent = request(url, { method: incoming.method, agent, headers });
  const stream = faults.open({ ...running, reset });
  incoming.pipe(sent);
  response.once('close', () => {
    stream.close();
    sent.destroy();
  });
  sent.on('error', reset);
  sent.on('response', (received) => {
    if (stream.isFrozen()) return;
    response.writeHead(received.statusCode ?? 502, received.headers);
    response.flushHeaders();
    const list =
      running.kind === 'list' && received.statusCode === 200
        ? faults.record(incoming.url ?? '/', received.headers)
        : undefined;
    received.on('error', reset).on('aborted', reset);
    received.pipe(passing({ stream, ...(list === undefined ? {} : { list }) })).pipe(response);
  });
};

interface Passing {
  readonly stream: ReturnType<FaultSwitch['open']>;
  readonly list?: (chunk: Buffer | 'end') => void;
}

/** Hands bytes on as long as the fault allows. */
const passing = ({ stream, list }: Passing): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (stream.isFrozen()) return done();
      list?.(chunk);
      const allowed = stream.allow(chunk.length);
      if (allowed >= chunk.length) return done(null, chunk);
      done(null, chunk.subarray(0, allowed));
      // After the bytes that were allowed have left.
      createSystemClock().schedule(RESET_AFTER_MS, stream.reset);
    },
    flush: (done) => {
      list?.('end');
      // A frozen stream has no end either.
      if (!stream.isFrozen()) done();
    },
  });

const RESET_AFTER_MS = 20;

/** What the caller's certificate says stands over anything that the caller says in the same headers. */
const identify = (incoming: IncomingMessage, { trusted, plain }: Upstream) => {
  const { host: _host, ...headers } = incoming.headers;
  const { socket } = incoming;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return { agent: plain, headers };
  const { subject } = socket.getPeerCertificate();
  const [user = ''] = listOf(subject?.CN);
  return { agent: trusted, headers: { ...headers, 'x-remote-user': user, 'x-remote-group': [...listOf(subject?.O)] } };
};

const listOf = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
