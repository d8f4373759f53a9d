/** The manifests of `examples/`, unchanged, on the real Cluster API: what `macfleet up` applies works on a cluster too. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { type FleetScene, openFleet } from './cluster-api/fleet-scene.ts';
import { isUp } from './cluster-api/view.ts';
import { eventually } from './kube/scene.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');
/** Of all three fleets. */
const MACS = 4;
const RUNNERS_NAMESPACE = 'tuist-runners';

describe('the examples on the real Cluster API', { timeout: 240_000 }, () => {
  let cluster: Cluster;
  let scene: FleetScene;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    scene = await openFleet(cluster, { macs: MACS, rights: 'installed' });
  });
  after(async () => {
    await scene?.stop();
    await cluster?.stop();
  });

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl([...args]);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };

  it('become three fleets of Macs, a Deployment and a Job that run on them; the pool of runners is accepted', async () => {
    const { namespace, view } = scene;
    await scene.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: RUNNERS_NAMESPACE } }]);
    const files = readdirSync(EXAMPLES).filter((file) => file.endsWith('.yaml') && !file.startsWith('values'));
    const [pools, others] = [
      files.filter((file) => file === 'runner-pool.yaml'),
      files.filter((file) => file !== 'runner-pool.yaml'),
    ];
    assert.equal(pools.length, 1);
    const applied = others.flatMap((file) => ['-f', join(EXAMPLES, file)]);
    await kubectl('apply', '-n', namespace, ...applied);
    // Not kept: no controller of runners is here, and runners.test.ts, which applies it for good, shares the cluster.
    const pool = ['-f', join(EXAMPLES, 'runner-pool.yaml'), '--dry-run=server', '-o', 'name'];
    assert.match(await kubectl('apply', ...pool), /runnerpool\.tuist\.dev\/ci/);
    await view.until(`${MACS} Machines are up`, () => {
      const machines = view.machines.list();
      return machines.length === MACS && machines.every(isUp) ? machines : undefined;
    });
    const written = [
      'get',
      'secret',
      'demo-kubeconfig',
      '-n',
      namespace,
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    ];
    assert.doesNotMatch(await kubectl(...written), /kubectl/, 'the manager wrote it, by the rights of an installation');
    await kubectl('rollout', 'status', 'deployment/simulator-farm', '-n', namespace, '--timeout=60s');
    await kubectl('wait', '--for=condition=complete', 'job/hello-macos', '-n', namespace, '--timeout=60s');
    const placed = await kubectl('get', 'pods', '-n', namespace, '-o', 'jsonpath={.items[*].spec.nodeName}');
    const nodes = new Set(placed.trim().split(' '));
    assert.ok(nodes.size > 0 && [...nodes].every((node) => node.startsWith('macos-')), placed);
    await kubectl('delete', 'machinedeployments', '--all', '-n', namespace, '--wait=false');
    await eventually(
      'the Macs are given back',
      () => view.macs().every(({ spec }) => spec.claimRef === undefined),
      90_000,
    );
  });
});
