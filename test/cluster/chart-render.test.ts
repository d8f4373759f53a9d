/** What the chart renders: accepted by a real API server whichever fleets are asked for, and refused in a sentence where it cannot work. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments, stringify } from 'yaml';
import type { Cluster } from './bench/cluster.ts';
import { mustKubectl } from './bench/must-kubectl.ts';
import { installKinds, sharedCluster, startCluster } from './bench.ts';
import { BAD_VALUES } from './chart-render/bad-values.ts';
import { createStory } from './cluster-api/story.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHART = join(ROOT, 'charts', 'macfleet');
const SIMULATED = join(ROOT, 'examples', 'values-simulated.yaml');
const REAL = join(ROOT, 'examples', 'values-scaleway.yaml');
const NAMESPACE = 'chart-render';

interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly replicas?: number;
    readonly target?: Readonly<Record<string, unknown>>;
    readonly data?: unknown;
    readonly template?: { readonly metadata?: object; readonly spec: object };
  };
}

const parseObjects = (yaml: string): readonly Rendered[] =>
  parseAllDocuments(yaml)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);

interface Asked {
  readonly values?: string;
  readonly set?: readonly string[];
  /** Further arguments of helm. */
  readonly more?: readonly string[];
  /** Looks things up in the cluster, as an install does. */
  readonly live?: true;
}

const template = (cluster: Cluster, { values = SIMULATED, set = [], more = [], live }: Asked) =>
  cluster.run('helm', [
    ...['template', 'mac', CHART, '--namespace', NAMESPACE, '--values', values],
    ...(live === true ? ['--dry-run=server'] : []),
    ...set.flatMap((value) => ['--set', value]),
    ...more,
  ]);

const renderObjects = async (cluster: Cluster, asked: Asked): Promise<readonly Rendered[]> => {
  const { code, stdout, stderr } = await template(cluster, asked);
  assert.equal(code, 0, stderr);
  return parseObjects(stdout);
};

/** As kubeadm leaves it. */
const CLUSTER_INFO = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'kube-public', name: 'cluster-info' } },
  data: { kubeconfig: stringify({ clusters: [{ cluster: { server: 'https://api.example.com:6443' } }] }) },
};

const only = (fleet: string): readonly string[] =>
  ['macosFleet', 'runnersFleet', 'buildersFleet'].map((key) => `${key}.enabled=${key === fleet}`);

/** Kinds of operators that the bench does not have. */
const FOREIGN = /^(external-secrets\.io|monitoring\.coreos\.com)\//;

describe('the chart', { timeout: 200_000 }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    await mustKubectl(cluster, ['create', 'namespace', NAMESPACE]);
    await mustKubectl(cluster, ['label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted']);
  });
  after(async () => {
    await cluster?.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    await cluster?.stop();
  });

  it('has nothing that helm lint objects to', async () => {
    const { code, stdout } = await cluster.run('helm', ['lint', '--strict', CHART, '--values', SIMULATED]);
    assert.equal(code, 0, stdout);
  });

  const asked: Readonly<Record<string, Asked>> = {
    'macos alone': { set: only('macosFleet') },
    'runners alone': { set: only('runnersFleet') },
    'builders alone': { set: only('buildersFleet') },
    'no fleet': { set: only('') },
    'three fleets, on Scaleway, with all that can be asked for': { values: REAL },
  };
  for (const [story, wish] of Object.entries(asked)) {
    it(`is taken by a real API server: ${story}`, async () => {
      const objects = await renderObjects(cluster, wish);
      const known = objects.filter(({ apiVersion }) => !FOREIGN.test(apiVersion));
      // Under its own name kubectl would first take over, with warnings, what other tests applied without --server-side.
      const asHelm = ['apply', '--server-side', '--field-manager=helm', '--force-conflicts', '--dry-run=server'];
      const { code, stderr } = await cluster.kubectl([...asHelm, '-f', '-'], {
        input: known.map((object) => stringify(object)).join('---\n'),
      });
      assert.deepEqual([code, stderr], [0, '']);
    });
  }

  it('runs every Pod as a restricted namespace wants it', async () => {
    const objects = await renderObjects(cluster, { values: REAL });
    const pods = objects.flatMap(({ kind, metadata: { name }, spec }) =>
      spec?.template?.spec === undefined || !['Deployment', 'Job'].includes(kind)
        ? []
        : [
            {
              apiVersion: 'v1',
              kind: 'Pod',
              metadata: { name, namespace: NAMESPACE },
              spec: { ...spec.template.spec, serviceAccountName: 'default' },
            },
          ],
    );
    assert.equal(pods.length, 3);
    const input = pods.map((pod) => stringify(pod)).join('---\n');
    const { code, stderr } = await cluster.kubectl(['create', '--dry-run=server', '-f', '-'], { input });
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('names a template after what is in it, and keeps all that holds Macs', async () => {
    const [before, after] = await Promise.all([
      renderObjects(cluster, {}),
      renderObjects(cluster, { set: ['macosFleet.machine.hostCPU=4'] }),
    ]);
    const templates = (objects: readonly Rendered[]) =>
      objects.filter(({ kind }) => kind.endsWith('MachineTemplate')).map(({ metadata }) => metadata.name);
    const changed = templates(after).filter((name) => !templates(before).includes(name));
    assert.equal(changed.length, 1);
    assert.match(changed[0] ?? '', /^mac-macfleet-macos-fleet-[0-9a-f]{8}$/);
    const holding = /^(Cluster|MachineDeployment|MachineDrainRule|RunnerPool|ScalewayAppleSilicon\w+|Namespace)$/;
    for (const { kind, metadata } of before.filter((object) => holding.test(object.kind)))
      assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep', kind);
  });

  it('syncs Secrets from a vault so that they outlive what synced them', async () => {
    const from = ['capi.remoteKubeconfig', 'macosFleet.scaleway', 'buildersFleet'];
    const objects = await renderObjects(cluster, { set: from.map((path) => `${path}.externalSecrets.enabled=true`) });
    const synced = objects.filter(({ kind }) => kind === 'ExternalSecret');
    assert.equal(synced.length, from.length);
    for (const { metadata, spec } of synced) {
      const { name, annotations } = metadata;
      assert.deepEqual(
        [spec?.target?.name, spec?.target?.creationPolicy, spec?.target?.deletionPolicy],
        [name, 'Orphan', 'Retain'],
      );
      assert.equal(annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade');
    }
    const kubeconfig = synced.find(({ metadata }) => metadata.name === 'mac-macfleet-capi-kubeconfig');
    assert.deepEqual(kubeconfig?.spec?.data, [
      { secretKey: 'value', remoteRef: { key: 'capi-workload-kubeconfig/kubeconfig' } },
    ]);
    // Whoever keeps the kubeconfig, it is one: the manager then may not.
    const bound = objects.filter(({ kind }) => kind === 'RoleBinding').map(({ metadata }) => metadata.name);
    assert.ok(!bound.includes('macfleet-remote-tokens') && bound.includes('macfleet-fleet-keys'));
  });

  it('leaves a number to whoever else sets it', async () => {
    const pool = { name: 'ci', runnerImage: 'a', dispatchLabel: 'b', replicas: 2, autoscaling: { enabled: true } };
    const json = ['--set-json', `runnersFleet.pools=${JSON.stringify([pool])}`];
    const objects = await renderObjects(cluster, { set: ['macosFleet.replicas=null'], more: json });
    const numbers = objects
      .filter(({ kind }) => ['MachineDeployment', 'RunnerPool'].includes(kind))
      .map(({ metadata, spec }) => [metadata.name.replace('mac-macfleet-', ''), spec?.replicas]);
    assert.deepEqual(Object.fromEntries(numbers), {
      ...{ 'macos-fleet': undefined, 'runners-fleet': 1, 'builders-fleet': 1, 'runner-pool-ci': undefined },
    });
  });

  for (const { story, set, says } of BAD_VALUES) {
    it(`refuses ${story}`, async () => {
      const { code, stdout, stderr } = await template(cluster, { set });
      assert.deepEqual([code === 0, stdout], [false, '']);
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /very-secret/);
    });
  }
});

describe('a cluster', { timeout: 120_000 }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ parts: 'api' });
    await mustKubectl(cluster, ['create', 'namespace', NAMESPACE]);
  });
  after(() => cluster?.stop());

  const refuses = async (says: RegExp, asked: Asked = {}): Promise<void> => {
    const { code, stderr } = await template(cluster, { ...asked, live: true });
    assert.notEqual(code, 0);
    assert.match(stderr, says);
  };
  const apply = (object: object) => mustKubectl(cluster, ['apply', '--server-side', '-f', '-'], stringify(object));
  const serveClusters = (...versions: readonly string[]) =>
    apply({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'clusters.cluster.x-k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
      spec: {
        ...{ group: 'cluster.x-k8s.io', scope: 'Namespaced', names: { kind: 'Cluster', plural: 'clusters' } },
        versions: versions.map((name, at) => ({
          ...{ name, served: true, storage: at === 0 },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        })),
      },
    }).then(() => mustKubectl(cluster, ['wait', '--for=condition=Established', 'crd/clusters.cluster.x-k8s.io']));

  const REAL_MACS = ['simulation.macs=0'];
  const SECRET = ['secret', 'generic', 'mac-macfleet-capi-scaleway-applesilicon', '-n', NAMESPACE];
  const createSecret = (...keys: readonly string[]) =>
    mustKubectl(cluster, ['create', ...SECRET, ...keys.map((key) => `--from-literal=${key}=a`)]);

  step('is told that it lacks Cluster API', () => refuses(/has no Cluster API core\. Install 1\.11 or later/));

  step('is told that its Cluster API is too old', async () => {
    await serveClusters('v1beta1');
    await refuses(/without contract v1beta2/);
    await serveClusters('v1beta1', 'v1beta2');
  });

  step('is told that it lacks the key of Scaleway, or a part of it', async () => {
    await refuses(/no Secret mac-macfleet-capi-scaleway-applesilicon in/, { set: REAL_MACS });
    await createSecret('access-key', 'project-id');
    await refuses(/has no secret-key/, { set: REAL_MACS });
    await mustKubectl(cluster, ['delete', ...SECRET.filter((word) => word !== 'generic')]);
    await createSecret('access-key', 'secret-key', 'project-id');
  });

  step('is told that Macs do not know the way, until it says it itself', async () => {
    await refuses(/does not say its public address/, { set: REAL_MACS });
    await apply(CLUSTER_INFO);
    // There is no more of Cluster API here than its name.
    const set = [...REAL_MACS, 'capi.enabled=false', 'runnersFleet.enabled=false'];
    const { stdout, stderr } = await template(cluster, { set, live: true });
    assert.match(stdout, /--api-server-url=https:\/\/api\.example\.com:6443/, stderr);
  });

  step('is told that there is a release already', async () => {
    const by = { 'meta.helm.sh/release-name': 'first', 'meta.helm.sh/release-namespace': 'elsewhere' };
    const metadata = { name: 'macfleet-manager', annotations: by };
    await apply({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata });
    await refuses(/already installed in this cluster, as release first in namespace elsewhere/);
    await mustKubectl(cluster, ['delete', 'clusterrole', 'macfleet-manager']);
  });

  step('gets our kinds, and has them brought up to date, by who may do nothing else', async () => {
    const objects = await renderObjects(cluster, {});
    const hooks = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
    const role = hooks.find(({ kind }) => kind === 'ClusterRole');
    const user = 'crd-job';
    await apply(role ?? {});
    await mustKubectl(cluster, [
      'create',
      'clusterrolebinding',
      user,
      `--clusterrole=${role?.metadata.name}`,
      `--user=${user}`,
    ]);
    const login = await cluster.kubeconfigFor({ name: user });
    const update = async (): Promise<void> => {
      const { code, stderr } = await macfleet(login, ['--crds', '--apply', '--field-manager=helm']);
      assert.equal(code, 0, stderr);
    };
    await update();
    const spoil = '[{"op":"replace","path":"/spec/names/shortNames","value":["rp"]}]';
    await mustKubectl(cluster, ['patch', 'crd', 'runnerpools.tuist.dev', '--type=json', '-p', spoil]);
    await update();
    const names = ['get', 'crd', 'runnerpools.tuist.dev', '-o', 'jsonpath={.spec.names.shortNames}'];
    assert.equal((await cluster.kubectl(names)).stdout, '["rpool"]');
    const refused = await macfleet(login, ['--image', 'a', '--api-server-url', cluster.server, '--apply']);
    assert.match(
      refused.stderr,
      /this login may not apply namespace\/macfleet-system[\s\S]*administrator of the cluster/,
    );
  });

  step('gets everything from macfleet install without Helm, also a second time', async () => {
    const flags = ['--image', 'example.com/macfleet:1', '--api-server-url', cluster.server];
    for (const _time of ['first', 'second']) {
      const { code, stdout, stderr } = await macfleet(cluster.kubeconfig, [
        ...flags,
        '--dispatch-url',
        'https://a.example.com',
        '--apply',
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^deployment\/macfleet-manager applied$/m);
    }
  });

  step('is given the provider by clusterctl, and by kustomize', async () => {
    const env = { MACFLEET_IMAGE: 'example.com/macfleet:1', MACFLEET_API_SERVER_URL: cluster.server };
    const key = { SCW_ACCESS_KEY: 'a', SCW_SECRET_KEY: 'b', SCW_DEFAULT_PROJECT_ID: 'c' };
    const config = writeRepository(cluster);
    const generate = ['generate', 'provider', '--config', config, '--infrastructure', 'scaleway-applesilicon'];
    const { code, stdout, stderr } = await cluster.run('clusterctl', generate, {
      env: { ...env, ...key, GOPROXY: 'off' },
    });
    assert.equal(code, 0, stderr);
    const dryRun = ['apply', '--server-side', '--force-conflicts', '--dry-run=server'];
    await mustKubectl(cluster, [...dryRun, '-f', '-'], stdout);
    assert.match(stdout, /image: example\.com\/macfleet:1/);
    await mustKubectl(cluster, [...dryRun, '-k', join(ROOT, 'deploy', 'kustomize')]);
  });

  it('is told what it lacks, and gets it', (t) => play((name, run) => t.test(name, run)));
});

/** Our own command line, as a person runs it. */
const macfleet = async (kubeconfig: string, args: readonly string[]) => {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'macfleet.ts'), 'install', ...args], {
    env: { KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number, stdout, stderr };
};

/** A local repository of providers, laid out as clusterctl wants it. */
const writeRepository = ({ dir }: Cluster): string => {
  const home = join(dir, 'providers', 'infrastructure-scaleway-applesilicon', 'v0.1.0');
  mkdirSync(home, { recursive: true });
  for (const name of ['metadata.yaml', 'infrastructure-components.yaml'])
    copyFileSync(join(ROOT, 'deploy', 'clusterctl', name), join(home, name));
  const config = join(dir, 'providers', 'clusterctl.yaml');
  const url = join(home, 'infrastructure-components.yaml');
  writeFileSync(
    config,
    stringify({ providers: [{ name: 'scaleway-applesilicon', type: 'InfrastructureProvider', url }] }),
  );
  return config;
};
