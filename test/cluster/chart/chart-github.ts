/** A small GitHub over HTTP for builders: its App, and the Secret by which a manager becomes it. */
import { generateKeyPairSync } from 'node:crypto';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createSimGitHub } from '../../../src/github/testing/sim-github.ts';
import { startHttpServer } from '../../../src/sim/http/http-server.ts';
import { neverAborted } from '../../../src/base/abort.ts';

export interface ChartGitHub {
  readonly url: string;
  /** What it was asked, in order. */
  readonly asked: readonly string[];
  /** By their keys in the Secret. */
  readonly app: Readonly<Record<'app-id' | 'installation-id' | 'private-key', string>>;
  close(): Promise<void>;
}

export const ORGANISATION = 'acme';

export const openChartGitHub = async (): Promise<ChartGitHub> => {
  const clock = createSystemClock();
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    ...{ modulusLength: 2_048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: pem },
  });
  const [appId, installationId] = ['17', '23'];
  const { send, asked } = createSimGitHub({
    ...{ appId, installationId, organisation: ORGANISATION, publicKey, nowMs: () => clock.now() },
  });
  const served = await startHttpServer({
    ...{ clock, port: 0 },
    answer: async ({ method, target, headers }) => {
      const { status, text } = await send(`http://github.test${target}`, { method, headers, signal: neverAborted() });
      return { status, headers: {}, body: await text() };
    },
  });
  return {
    ...{ url: served.url, asked, close: served.close },
    app: { 'app-id': appId, 'installation-id': installationId, 'private-key': privateKey },
  };
};
