/** Does somebody answer at this address, and how? */
import { type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { PemPair } from '../../../src/controlplane/auth/client-certificate.ts';

export interface ProbeIdentity {
  readonly caPem: string;
  readonly client?: PemPair;
}

const PROBE_TIMEOUT_MS = 2_000;

/** The HTTP status of a GET, or undefined when there was no answer. */
export const probe = (url: string, identity?: ProbeIdentity): Promise<number | undefined> =>
  new Promise((resolve) => {
    const options: RequestOptions = { timeout: PROBE_TIMEOUT_MS, agent: false };
    const client = identity?.client;
    const tls = {
      ...(identity === undefined ? {} : { ca: identity.caPem }),
      ...(client === undefined ? {} : { cert: client.certificate, key: client.key.reveal() }),
    };
    const sent = url.startsWith('https:') ? requestTls(url, { ...options, ...tls }) : requestPlain(url, options);
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => resolve(undefined));
    sent.on('close', () => resolve(undefined));
    sent.end();
  });
