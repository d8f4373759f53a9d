/** Every manifest that we give to people, judged by kubeconform with the schemas of a real API server: no field that nobody knows, no wrong type. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { macfleetInstall } from './chart-render/own-install.ts';
import { generateProvider } from './chart-render/provider-repository.ts';
import { type FleetKey, only, REAL, ROOT, renderYaml } from './chart-render/render.ts';
import { type Kubeconform, openKubeconform } from './conform/kubeconform.ts';
import { eventually } from './kube/scene.ts';

const EXAMPLES = join(ROOT, 'examples');
const SETS: readonly (readonly FleetKey[])[] = [
  [],
  ['macosFleet'],
  ['runnersFleet'],
  ['buildersFleet'],
  ['macosFleet', 'runnersFleet'],
  ['macosFleet', 'buildersFleet'],
  ['runnersFleet', 'buildersFleet'],
  ['macosFleet', 'runnersFleet', 'buildersFleet'],
];

const runnerPool = (spec: string): string => `
apiVersion: tuist.dev/v1alpha1
kind: RunnerPool
metadata: { name: broken }
spec: ${spec}
`;

/** What it has to find, or its silence means nothing: in Kubernetes' own kinds, in Cluster API's and in ours. */
const BROKEN: readonly { readonly story: string; readonly manifest: string; readonly says: RegExp }[] = [
  {
    story: 'a field of a Deployment that is none',
    manifest: `
apiVersion: apps/v1
kind: Deployment
metadata: { name: broken }
spec: { replica: 1, selector: {}, template: { spec: { containers: [{ name: a }] } } }
`,
    says: /Deployment broken: .*'replica' not allowed/,
  },
  {
    story: 'a text for a number, deep in a Pod',
    manifest: `
apiVersion: v1
kind: Pod
metadata: { name: broken }
spec: { containers: [{ name: a, ports: [{ containerPort: http }] }] }
`,
    says: /containerPort.*got string, want integer/,
  },
  {
    story: 'a field of a MachineDeployment of an older contract',
    manifest: `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: broken }
spec:
  clusterName: a
  minReadySeconds: 0
  selector: {}
  template: { spec: { clusterName: a, bootstrap: {}, infrastructureRef: { kind: A, name: a, apiGroup: a.b } } }
`,
    says: /'minReadySeconds' not allowed/,
  },
  { story: 'a pool of runners without what it needs', manifest: runnerPool('{}'), says: /missing propert/ },
  { story: 'a pool of runners with too much', manifest: runnerPool('{ colour: red }'), says: /'colour' not allowed/ },
  {
    story: 'a kind that nobody has',
    manifest: 'apiVersion: apps/v1\nkind: Deploiment\nmetadata: { name: broken }\n',
    says: /could not find schema/,
  },
];

describe('kubeconform, with the schemas of a real API server', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let kubeconform: Kubeconform;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    // The schema of a kind is told a moment after the kind is served.
    await eventually('the API server tells about our kinds', async () => {
      const { stdout } = await cluster.kubectl(['get', '--raw', '/openapi/v3/apis/tuist.dev/v1alpha1']);
      return stdout.includes('RunnerPool');
    });
    kubeconform = openKubeconform(cluster);
  });
  after(() => cluster?.stop());

  const assertConforms = async (manifests: string, least: number): Promise<void> => {
    const { wrong, valid, skipped } = await kubeconform.judge(manifests);
    assert.deepEqual([wrong, skipped], [[], 0]);
    assert.ok(valid >= least, `only ${valid} objects were judged`);
  };

  for (const { story, manifest, says } of BROKEN) {
    it(`finds ${story}`, async () => {
      const { wrong, valid } = await kubeconform.judge(manifest);
      assert.deepEqual([wrong.length, valid], [1, 0]);
      assert.match(wrong[0] ?? '', says);
    });
  }

  for (const fleets of SETS) {
    it(`finds nothing in the chart with ${fleets.join(' and ') || 'no fleet'}`, async () => {
      await assertConforms(await renderYaml(cluster, { set: only(...fleets) }), 20);
    });
  }

  it('finds nothing in the chart with all that can be asked for, but for kinds of operators that are not here', async () => {
    const { wrong, valid, skipped } = await kubeconform.judge(await renderYaml(cluster, { values: REAL }));
    assert.deepEqual(wrong, []);
    assert.ok(valid >= 20 && skipped > 0);
  });

  it('finds nothing in deploy/kustomize', async () => {
    const { code, stdout, stderr } = await cluster.kubectl(['kustomize', join(ROOT, 'deploy', 'kustomize')]);
    assert.equal(code, 0, stderr);
    await assertConforms(stdout, 20);
  });

  it('finds nothing in deploy/clusterctl, as clusterctl makes components of it', async () => {
    const objects = parseAllDocuments(await generateProvider(cluster));
    // An empty one, which it adds to each CRD and no API server looks at.
    for (const object of objects) object.delete('status');
    await assertConforms(objects.map(String).join('---\n'), 20);
  });

  it('finds nothing in what macfleet install prints', async () => {
    const flags = ['--image', 'a', '--api-server-url', cluster.server, '--dispatch-url', 'https://a.example.com'];
    const { code, stdout, stderr } = await macfleetInstall(cluster.kubeconfig, flags);
    assert.equal(code, 0, stderr);
    await assertConforms(stdout, 20);
  });

  it('finds nothing in the examples', async () => {
    const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml') && !file.startsWith('values'));
    const all = files.map((file) => readFileSync(join(EXAMPLES, file), 'utf8')).join('\n---\n');
    await assertConforms(all, files.length);
  });
});
