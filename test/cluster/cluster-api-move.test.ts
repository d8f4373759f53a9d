/** `clusterctl move` of a living fleet: the Mac works on and is neither wiped nor released, and the machine over there still names it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { NAMESPACES } from '../../src/kube/types/core.ts';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster, startCluster } from './bench.ts';
import { renderDeployment } from './cluster-api/fleet-objects.ts';
import { type FleetScene, openFleet } from './cluster-api/fleet-scene.ts';
import { isUp } from './cluster-api/view.ts';

describe('a fleet that is moved to another management cluster', { timeout: 180_000 }, () => {
  let source: Cluster;
  let target: Cluster;
  let fleet: FleetScene;
  before(async () => {
    source = await sharedCluster('cluster-api');
    target = await startCluster({ parts: 'cluster-api' });
    for (const cluster of [source, target]) {
      await installKinds(cluster);
      // clusterctl marks what it installs, and moves only that; the bench installed core without it.
      const { code, stderr } = await cluster.kubectl([
        'label',
        'crd',
        '--all',
        'clusterctl.cluster.x-k8s.io=',
        '--overwrite',
      ]);
      assert.equal(code, 0, stderr);
    }
    fleet = await openFleet(source, { macs: 2 });
    const { view, namespace } = fleet;
    await fleet.apply(renderDeployment(namespace, 1));
    await view.until('the Machine is ready', () => view.machines.list().some(isUp));
  });
  after(async () => {
    await fleet?.stop();
    await target?.stop();
    await source?.stop();
  });

  it('is there with the same Mac, and gone here, while the Mac was not touched', async () => {
    const { view, namespace } = fleet;
    const [machine] = view.machines.list();
    const [mac] = view.macs().filter(({ spec }) => spec.claimRef !== undefined);
    const client = await target.client();
    await client.create(NAMESPACES, { metadata: { name: namespace } }, { signal: neverAborted() });
    const move = ['move', '--namespace', namespace, '--to-kubeconfig', target.kubeconfig];
    const { code, stdout, stderr } = await source.run('clusterctl', move);
    assert.equal(code, 0, stdout + stderr);

    const signal = neverAborted();
    const moved = [
      ...(await client.list(CLUSTER_API_RESOURCES.machines, { namespace, signal })).items,
      ...(await client.list(MACHINES, { namespace, signal })).items,
    ];
    const { name = '' } = machine?.metadata ?? {};
    assert.deepEqual(
      moved.map(({ kind, metadata, spec }) => [kind, metadata.name, spec.providerID]),
      [
        ['Machine', name, machine?.spec.providerID],
        ['ScalewayAppleSiliconMachine', name, machine?.spec.providerID],
      ],
    );
    await view.until('nothing of it is left here', () => view.machines.size === 0 && view.infraMachines.size === 0);
    // R17: forgotten here. Had clusterctl been faster than our finalizer, it would be held (R15).
    const hostNow = () => view.hosts.get(mac?.metadata.name ?? '');
    await view.until('its Mac is forgotten here, or held', () => (hostNow()?.spec ?? { hold: {} }).hold !== undefined);
    const after = hostNow() ?? mac;
    assert.deepEqual([after?.spec.release, after?.spec.wipes], [undefined, mac?.spec.wipes]);
    assert.equal(after?.status?.server?.name, name);
    assert.ok(view.nodes.get(name), 'its Node works on');
  });
});
