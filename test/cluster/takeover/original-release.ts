/** The Go original as a release of Helm in a cluster: its chart of May or of August, and what its controllers and its vault bring about beside it. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { MACHINES } from '../../../src/kinds/machine.ts';
import { CLUSTER_API_LABELS } from '../../../src/kube/types/cluster-api.ts';
import { SECRETS } from '../../../src/kube/types/core.ts';
import { JOIN_GROUP } from '../../../src/provider/identity/join-token.ts';
import { createServers } from '../bench/servers.ts';
import type { ChartScene } from '../chart/chart-scene.ts';
import { applyTo } from '../cluster-api/fleet-scene.ts';
import { renderTokenKubeconfig } from '../cluster-api/node-access.ts';
import { type Era, goDefinitions, tuistClusterDefinition } from '../kinds/go-definitions.ts';
import { eventually } from '../kube/scene.ts';
import { readLease } from './original.ts';

const signal = neverAborted();
const CHART = join(import.meta.dirname, 'chart');
const MANAGER = join(import.meta.dirname, '..', '..', '..', 'bin', 'manager.ts');
const READY_MS = 30_000;

export const ORIGINAL = 'tuist';
export const FULLNAME = `${ORIGINAL}-tuist`;
export const CLUSTER = `${FULLNAME}-capi`;
export const KUBECONFIG = `${CLUSTER}-kubeconfig`;

/** The folder of its chart of that time, with its CRDs. */
export const writeOriginalChart = (dir: string, era: Era): string => {
  const folder = join(dir, 'original', era);
  cpSync(CHART, folder, { recursive: true });
  const values = readFileSync(join(CHART, 'values.yaml'), 'utf8');
  writeFileSync(join(folder, 'values.yaml'), values.replace('era: August', `era: ${era}`));
  mkdirSync(join(folder, 'crds'));
  const shells = era === 'May' ? [] : [tuistClusterDefinition()];
  for (const definition of [...goDefinitions(era).items, ...shells])
    writeFileSync(join(folder, 'crds', `${definition.metadata.name}.yaml`), JSON.stringify(definition));
  return folder;
};

/** As far as charts need it: the kind is there, and takes whatever it is given. */
export const EXTERNAL_SECRETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'externalsecrets.external-secrets.io' },
  spec: {
    group: 'external-secrets.io',
    scope: 'Namespaced',
    names: { kind: 'ExternalSecret', plural: 'externalsecrets', singular: 'externalsecret' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as const;

/** What a person put into the vault once, and the External Secrets operator brings from there. */
export const fillFromVault = async ({ cluster, client, namespace }: ChartScene): Promise<void> => {
  const read = () => client.get(SECRETS, { namespace, name: `${CLUSTER}-remote-token` }, { signal });
  const token = await eventually('the account of core has its token', async () => (await read()).data?.['token']);
  const labels = { [CLUSTER_API_LABELS.clusterName]: CLUSTER };
  const value = renderTokenKubeconfig(cluster, Buffer.from(token, 'base64').toString());
  await applyTo(cluster, [
    { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: KUBECONFIG, labels }, stringData: { value } },
  ]);
};

/** Macs join by tokens of this group while the stand-in brings them there. */
const JOIN = {
  ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'stand-in-join' } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: JOIN_GROUP }],
};

/**
 * Macs become Nodes as under the original: somebody has to bring them there, and that is our manager, as a process that may everything and that leaves
 * the kubeconfig of core alone. It takes no image for a family of macOS, as the original did in May: that is said again when it has ended.
 */
export const prepareAsOriginal = async (scene: ChartScene, untilReady: () => Promise<unknown>): Promise<void> => {
  const { cluster, client, namespace, lab } = scene;
  const pin = async (os: string): Promise<void> => {
    const { items } = await client.list(MACHINES, { namespace, signal });
    for (const { metadata } of items)
      await client.patch(
        MACHINES,
        { namespace, name: metadata.name },
        { type: 'merge', body: { spec: { os } } },
        { signal },
      );
  };
  await applyTo(cluster, [JOIN]);
  await eventually(
    'there is a machine',
    async () => (await client.list(MACHINES, { namespace, signal })).items.length > 0,
  );
  await pin('Tahoe');
  const dir = join(cluster.dir, 'stand-in');
  mkdirSync(dir);
  const servers = createServers(dir, READY_MS);
  const flags = {
    ...{ namespace, 'secrets-namespace': namespace, 'lease-namespace': namespace, 'lease-profile': 'fast' },
    ...{ kubeconfig: cluster.kubeconfig, 'host-times': 'fast', 'capi-remote-account': '' },
    ...{ 'metrics-bind-address': '0', 'health-probe-bind-address': '0', ...(await lab.flags()) },
  };
  const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const args = [MANAGER, '--scaleway', ...words];
  servers.start({ name: 'manager', path: process.execPath, args, env: lab.environments.first });
  try {
    await untilReady();
    servers.signal('manager', 'SIGTERM');
    await eventually(
      'its Lease is let go',
      async () => (await readLease(client, namespace)).spec?.holderIdentity === '',
    );
  } finally {
    await servers.stopAll();
  }
  await pin('macos-tahoe-26.3');
  await cluster.kubectl(['delete', 'clusterrolebinding', JOIN.metadata.name]);
};
