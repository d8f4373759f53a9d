/** deploy/clusterctl as a repository of providers on this machine, and what clusterctl makes of it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findBinaries } from '../../../tools/cluster/binaries.ts';
import type { Cluster } from '../bench/cluster.ts';
import { mustKubectl } from '../bench/must-kubectl.ts';
import { ROOT } from './render.ts';

const NAME = 'scaleway-applesilicon';
const CORE_VERSION = 'v1.14.1';
const INVENTORY = 'clusterctl.cluster.x-k8s.io/v1alpha3';
export const PROVIDER_IMAGE = 'example.com/macfleet:1';

/** The components as `clusterctl generate provider` prints them. */
export const generateProvider = (cluster: Cluster): Promise<string> => clusterctl(cluster, 'generate', 'provider');

/** `clusterctl init` in a cluster that seems to have core and cert-manager, which it would install otherwise. */
export const initProvider = async (cluster: Cluster): Promise<void> => {
  const { providerCrd } = await findBinaries(process.env, { need: ['cluster-api-core'] });
  await mustKubectl(cluster, ['apply', '--server-side', '-f', providerCrd]);
  const definitions = [renderCertKind('issuers', 'Issuer'), renderCertKind('certificates', 'Certificate')];
  await applyAll(cluster, definitions);
  await mustKubectl(cluster, ['wait', '--for=condition=Established', 'crd', '--all']);
  await applyAll(cluster, [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'capi-system' } },
    {
      ...{ apiVersion: INVENTORY, kind: 'Provider', metadata: { namespace: 'capi-system', name: 'cluster-api' } },
      ...{ providerName: 'cluster-api', type: 'CoreProvider', version: CORE_VERSION },
    },
  ]);
  await clusterctl(cluster, 'init');
};

const applyAll = (cluster: Cluster, objects: readonly object[]): Promise<void> =>
  mustKubectl(cluster, ['apply', '--server-side', '-f', '-'], objects.map((object) => stringify(object)).join('---\n'));

const renderCertKind = (plural: string, kind: string) => ({
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: `${plural}.cert-manager.io` },
  spec: {
    ...{ group: 'cert-manager.io', scope: 'Namespaced', names: { kind, plural } },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const clusterctl = async (cluster: Cluster, ...verb: readonly string[]): Promise<string> => {
  const args = [...verb, '--config', writeRepository(cluster), '--infrastructure', NAME];
  const { code, stdout, stderr } = await cluster.run('clusterctl', args, {
    env: {
      ...{ MACFLEET_IMAGE: PROVIDER_IMAGE, MACFLEET_API_SERVER_URL: cluster.server },
      ...{ SCW_ACCESS_KEY: 'a', SCW_SECRET_KEY: 'b', SCW_DEFAULT_PROJECT_ID: 'c' },
      GOPROXY: 'off',
    },
  });
  assert.equal(code, 0, stderr);
  return stdout;
};

const readOwn = (name: string): string => readFileSync(join(ROOT, 'deploy', 'clusterctl', name), 'utf8');

/** Laid out as clusterctl wants it. Of core it needs to know what contract it has. */
const writeRepository = ({ dir }: Cluster): string => {
  const providers = join(dir, 'providers');
  const put = (folder: string, components: string, files: Readonly<Record<string, string>>): string => {
    const home = join(providers, folder);
    mkdirSync(home, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    return join(home, components);
  };
  const own = put(`infrastructure-${NAME}/v0.1.0`, 'infrastructure-components.yaml', {
    'metadata.yaml': readOwn('metadata.yaml'),
    'infrastructure-components.yaml': readOwn('infrastructure-components.yaml'),
  });
  const series = {
    apiVersion: INVENTORY,
    kind: 'Metadata',
    releaseSeries: [{ major: 1, minor: 14, contract: 'v1beta2' }],
  };
  const core = put(`cluster-api/${CORE_VERSION}`, 'core-components.yaml', {
    'metadata.yaml': stringify(series),
    'core-components.yaml': '',
  });
  const config = join(providers, 'clusterctl.yaml');
  writeFileSync(
    config,
    stringify({
      'cert-manager': { externallyProvisioned: true },
      providers: [
        { name: NAME, type: 'InfrastructureProvider', url: own },
        { name: 'cluster-api', type: 'CoreProvider', url: core },
      ],
    }),
  );
  return config;
};
