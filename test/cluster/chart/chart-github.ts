/** A small GitHub over HTTP for builders: its App, and the Secret by which a manager becomes it. */
import { generateKeyPairSync } from 'node:crypto';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { createSimGitHub } from '../../../src/github/testing/sim-github.ts';
import { startHttpServer } from '../../../src/sim/http/http-server.ts';
import { putBuilderPrograms, TOKEN_SEEN } from '../../hosts/mac/builder-programs.ts';
import type { ChartScene } from './chart-scene.ts';

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

/** The Secret by which the manager of this fleet becomes the App. */
export const createAppSecret = async (scene: ChartScene, { app }: ChartGitHub, fleet: string): Promise<void> => {
  const literals = Object.entries(app).map(([key, value]) => `--from-literal=${key}=${value}`);
  await scene.kubectl('create', 'secret', 'generic', `${fleet}-gh-app`, ...literals);
};

/** Each Mac has what a builder gets from others; a wipe takes it away. */
export const equipMacs = ({ lab }: ChartScene): void => {
  for (const { id } of lab.cloud.servers()) putBuilderPrograms(lab.macs.mac(id));
};

/** The tokens by which Macs registered themselves as runners: of this GitHub, and nobody else's. */
export const registrationsOf = ({ lab }: ChartScene): readonly string[] =>
  lab.cloud.servers().flatMap(({ id }) => {
    const seen = lab.macs.mac(id).files.readText(TOKEN_SEEN);
    return seen === undefined ? [] : [seen.replace(/\d+\n$/, '')];
  });
