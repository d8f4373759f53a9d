import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { neverAborted } from '../base/abort.ts';
import { Secret } from '../base/secret.ts';
import { createHostIo } from '../kube/client/login/host-io.ts';
import type { ClusterConfig } from '../kube/client/login/select-context.ts';
import { createHarness } from '../kube/testing/harness.ts';
import { CONFIG_MAPS } from '../kube/types/core.ts';
import { type AccessOptions, readClusterAccess } from './cluster-access.ts';

const config: ClusterConfig = {
  source: 'context "a" of a kubeconfig',
  server: 'https://10.0.0.1:443',
  ca: { in: 'data', pem: new Secret('the authority') },
  verifyServer: 'yes',
  login: {},
};
const SAID = 'https://said.test';
/** As kubeadm leaves it: its cluster has no name. */
const PUBLIC = 'clusters:\n- cluster:\n    server: https://public.test:6443\n  name: ""\n';
const signal = neverAborted();

/** On a cluster whose cluster-info holds this kubeconfig, if any. */
const accessOf = async (
  asked: Partial<Omit<AccessOptions, 'config'>>,
  info?: Readonly<Record<string, string>>,
): Promise<{ readonly forMacs: string; readonly forCore: string }> => {
  const { client } = createHarness();
  const metadata = { namespace: 'kube-public', name: 'cluster-info' };
  if (info !== undefined) await client.create(CONFIG_MAPS, { metadata, data: info }, { signal });
  const options = { config, apiServerUrl: undefined, runs: 'in-cluster', macs: 'real', ...asked } as const;
  const { authority, ...access } = await readClusterAccess(options, { host: createHostIo(), kube: client, signal });
  assert.equal(authority, 'the authority');
  return access;
};

describe('the way to the cluster', () => {
  const own = config.server;
  const found = 'https://public.test:6443';
  const rows = [
    { story: 'is what an operator says', runs: 'elsewhere', url: SAID, macs: SAID, core: SAID },
    { story: 'is our own for core beside us', runs: 'in-cluster', url: SAID, macs: SAID, core: own },
    { story: 'is what the cluster says of itself', runs: 'in-cluster', info: PUBLIC, macs: found, core: own },
    { story: 'is that from elsewhere too', runs: 'elsewhere', info: PUBLIC, macs: found, core: found },
    {
      story: 'is what an operator says, all the same',
      runs: 'in-cluster',
      info: PUBLIC,
      url: SAID,
      macs: SAID,
      core: own,
    },
    { story: 'is our own from elsewhere, where the cluster says nothing', runs: 'elsewhere', macs: own, core: own },
    {
      story: 'is the first that the cluster names',
      runs: 'in-cluster',
      macs: found,
      core: own,
      info: `${PUBLIC.replace('server: https://public.test:6443', 'server: ""')}${PUBLIC.split('\n').slice(1).join('\n')}`,
    },
  ] as const;
  for (const { story, runs, macs, core, ...row } of rows) {
    test(`${story}, for a process ${runs}`, async () => {
      const info = 'info' in row ? { kubeconfig: row.info } : undefined;
      const access = await accessOf({ runs, apiServerUrl: 'url' in row ? row.url : undefined }, info);
      assert.deepEqual(access, { forMacs: macs, forCore: core });
    });
  }

  test('is our own for Macs that are simulated in our Pod', async () => {
    assert.deepEqual(await accessOf({ macs: 'simulated' }), { forMacs: own, forCore: own });
  });

  const refused = [
    { story: 'a cluster that has none', info: undefined },
    { story: 'one without a kubeconfig', info: {} },
    { story: 'one whose kubeconfig names no server', info: { kubeconfig: 'clusters: []' } },
    { story: 'a kubeconfig that is no YAML', info: { kubeconfig: '{' } },
    { story: 'a kubeconfig of nonsense', info: { kubeconfig: 'clusters: [1, {cluster: {server: [2]}}]' } },
    { story: 'a server without TLS', info: { kubeconfig: PUBLIC.replace('https', 'http') } },
  ];
  for (const { story, info } of refused) {
    test(`is refused in a Pod that finds ${story} in kube-public/cluster-info`, async () => {
      await assert.rejects(accessOf({}, info), {
        kind: 'invalid',
        code: 'NoApiServerForMacs',
        hint: /--api-server-url/,
      });
    });
  }

  test('is not shown to anybody without an authority to trust', async () => {
    const { ca: _, ...bare } = config;
    const options = { config: bare, apiServerUrl: SAID, runs: 'elsewhere', macs: 'real' } as const;
    const { client: kube } = createHarness();
    await assert.rejects(readClusterAccess(options, { host: createHostIo(), kube, signal }), {
      code: 'NoClusterAuthority',
    });
  });
});
