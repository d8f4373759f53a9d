/** The real Dial: sockets, where a simulated network may map a guest's address to one of this machine. */
import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { FleetError, messageOf } from '../../../base/errors.ts';
import { findLocalAddress, type LocalAddress } from '../../guest/forward/forwarder.ts';
import type { Dial, GrpcAsk, HttpAsk } from './dial.ts';
import { ANSWER_BYTES_MAX, CHECK_PATH, parseServing, renderCheck, type ServingStatus } from './grpc-health.ts';

/** Where a guest's address is really to be reached. */
export type MapAddress = (host: string) => string;

export interface NetworkDialOptions {
  readonly mapAddress: MapAddress;
  /** The addresses of this Mac. */
  readonly ownAddresses: () => readonly LocalAddress[];
}

export const createNetworkDial = ({ mapAddress, ownAddresses }: NetworkDialOptions): Dial => {
  const wayTo = (host: string): Way => {
    const mapped = mapAddress(host);
    const localAddress = findLocalAddress(mapped, ownAddresses());
    return { host: mapped, ...(localAddress !== undefined && { localAddress }) };
  };
  return {
    http: (ask) => askHttp({ ...ask, ...wayTo(ask.host) }),
    tcp: ({ host, port, signal }) =>
      new Promise((resolve, reject) => {
        const socket = connect({ ...wayTo(host), port, signal });
        socket.once('connect', () => {
          socket.destroy();
          resolve();
        });
        socket.once('error', (cause) => reject(unreachable(host, port, cause)));
      }),
    grpc: (ask) => askGrpc({ ...ask, ...wayTo(ask.host) }),
  };
};

/** Where to, and from which address of this Mac where that counts. */
interface Way {
  readonly host: string;
  readonly localAddress?: string;
}

/** One call on a connection of its own. */
const askGrpc = async ({ service, signal, ...way }: GrpcAsk & Way): Promise<ServingStatus> => {
  const { host, port } = way;
  // Few Pods ask for it, and nobody else needs HTTP/2.
  const { connect: connectHttp2 } = await import('node:http2');
  const session = connectHttp2(`http://${host}:${port}`, { createConnection: () => connect(way) });
  try {
    return await new Promise<ServingStatus>((resolve, reject) => {
      const fail = (cause: unknown): void => reject(unreachable(host, port, cause));
      session.on('error', fail);
      const headers = { ':method': 'POST', ':path': CHECK_PATH, 'content-type': 'application/grpc', te: 'trailers' };
      const call = session.request(headers, { signal });
      const answer: Buffer[] = [];
      let [bytes, code] = [0, ''];
      const readCode = (fields: IncomingHttpHeaders): void => {
        code = String(fields['grpc-status'] ?? code);
      };
      call.once('response', readCode).once('trailers', readCode).on('error', fail);
      call.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= ANSWER_BYTES_MAX) answer.push(chunk);
        else call.destroy(new Error('its answer is too long'));
      });
      call.once('close', () => {
        const status = code === '0' ? parseServing(Buffer.concat(answer)) : undefined;
        if (status === undefined) fail(new Error(`no answer of grpc.health.v1, but the code ${code || 'none'}`));
        else resolve(status);
      });
      call.end(renderCheck(service));
    });
  } finally {
    session.destroy();
  }
};

const askHttp = ({ scheme, path, headers, signal, ...way }: HttpAsk & Way): Promise<number> =>
  new Promise((resolve, reject) => {
    const all = { 'user-agent': 'tart-kubelet-probe', accept: '*/*', ...headers };
    const options = { ...way, path, headers: all, signal, agent: false } as const;
    const request = scheme === 'https' ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options);
    request.once('response', (response) => {
      response.resume();
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', (cause) => reject(unreachable(way.host, way.port, cause)));
    request.end();
  });

const unreachable = (host: string, port: number, cause: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'GuestUnreachable',
    message: `nobody answers at ${host}:${port}: ${messageOf(cause)}`,
    cause,
  });
