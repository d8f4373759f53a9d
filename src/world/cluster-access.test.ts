import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Secret } from '../base/secret.ts';
import { createHostIo } from '../kube/client/login/host-io.ts';
import type { ClusterConfig } from '../kube/client/login/select-context.ts';
import { readClusterAccess } from './cluster-access.ts';

const config: ClusterConfig = {
  source: 'context "a" of a kubeconfig',
  server: 'https://10.0.0.1:443',
  ca: { in: 'data', pem: new Secret('the authority') },
  verifyServer: 'yes',
  login: {},
};

describe('the way to the cluster', () => {
  const rows = [
    { story: 'is our own for everybody', runs: 'elsewhere', url: undefined, macs: 'own', core: 'own' },
    { story: 'is what an operator says', runs: 'elsewhere', url: 'https://a.test', macs: 'said', core: 'said' },
    { story: 'is our own in a Pod', runs: 'in-cluster', url: undefined, macs: 'own', core: 'own' },
    { story: 'is our own for core beside us', runs: 'in-cluster', url: 'https://a.test', macs: 'said', core: 'own' },
  ] as const;
  for (const { story, runs, url, macs, core } of rows) {
    test(`${story}${url === undefined ? '' : `, told ${url}`}`, async () => {
      const server = { own: config.server, said: url };
      const access = await readClusterAccess({ config, apiServerUrl: url, runs }, createHostIo());
      assert.deepEqual(access, { forMacs: server[macs], forCore: server[core], authority: 'the authority' });
    });
  }

  test('is not shown to anybody without an authority to trust', async () => {
    const { ca: _, ...bare } = config;
    const options = { config: bare, apiServerUrl: undefined, runs: 'elsewhere' } as const;
    await assert.rejects(readClusterAccess(options, createHostIo()), { code: 'NoClusterAuthority' });
  });
});
