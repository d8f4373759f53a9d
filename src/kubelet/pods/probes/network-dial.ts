/** The real Dial: sockets, where a simulated network may map a guest's address to one of this machine. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { FleetError, messageOf } from '../../../base/errors.ts';
import type { Dial, HttpAsk } from './dial.ts';

/** Where a guest's address is really to be reached. */
export type MapAddress = (host: string) => string;

export const createNetworkDial = (mapAddress: MapAddress = (host) => host): Dial => ({
  http: (ask) => askHttp({ ...ask, host: mapAddress(ask.host) }),
  tcp: ({ host, port, signal }) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: mapAddress(host), port, signal });
      socket.once('connect', () => {
        socket.destroy();
        resolve();
      });
      socket.once('error', (cause) => reject(unreachable(host, port, cause)));
    }),
});

const askHttp = ({ scheme, host, port, path, headers, signal }: HttpAsk): Promise<number> =>
  new Promise((resolve, reject) => {
    const all = { 'user-agent': 'tart-kubelet-probe', accept: '*/*', ...headers };
    const options = { host, port, path, headers: all, signal, agent: false } as const;
    const request = scheme === 'https' ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options);
    request.once('response', (response) => {
      response.resume();
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', (cause) => reject(unreachable(host, port, cause)));
    request.end();
  });

const unreachable = (host: string, port: number, cause: unknown): FleetError =>
  new FleetError('unavailable', {
    code: 'GuestUnreachable',
    message: `nobody answers at ${host}:${port}: ${messageOf(cause)}`,
    cause,
  });
