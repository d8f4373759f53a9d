/**
 * `clusterctl move` of a living fleet while managers run on both sides: the Mac is neither wiped nor rebooted nor renamed, and
 * the machine over there still has it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { neverAborted } from '../../src/base/abort.ts';
import { MACHINES } from '../../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import type { Cluster } from './bench/cluster.ts';
import { mustKubectl } from './bench/must-kubectl.ts';
import { installKinds, sharedCluster, startCluster } from './bench.ts';
import { generateProvider } from './chart-render/provider-repository.ts';
import { createLabFleets, MAC_MS } from './cluster-api/lab-fleets.ts';
import { type LabScene, openLab, openLabScene } from './cluster-api/lab-scene.ts';
import { skipWithoutLab } from './cluster-api/mac-lab.ts';
import { isUp } from './cluster-api/view.ts';

/** The CRDs of `clusterctl generate provider`, without the empty status that it gives them. */
const kindsOf = async (cluster: Cluster): Promise<string> => {
  const objects = parseAllDocuments(await generateProvider(cluster));
  const kinds = objects.filter((object) => object.get('kind') === 'CustomResourceDefinition');
  for (const kind of kinds) kind.delete('status');
  assert.ok(kinds.length > 0);
  return kinds.map(String).join('---\n');
};

describe('a fleet that is moved to another management cluster', { timeout: 240_000, skip: skipWithoutLab() }, () => {
  let source: Cluster;
  let target: Cluster;
  let here: LabScene;
  let there: LabScene;
  before(async () => {
    source = await sharedCluster('cluster-api');
    target = await startCluster({ parts: 'cluster-api' });
    for (const cluster of [source, target]) {
      await installKinds(cluster);
      // clusterctl marks what it installs, and moves only that: our kinds are as it makes them of deploy/clusterctl.
      await mustKubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', '-'], await kindsOf(cluster));
      // The bench installed core without it.
      const core = ['--selector', 'cluster.x-k8s.io/provider=cluster-api'];
      await mustKubectl(cluster, ['label', 'crd', ...core, 'clusterctl.cluster.x-k8s.io=', '--overwrite']);
    }
    here = await openLab(source, { macs: 2, fleets: ['macos'] });
    const { view, namespace, lab } = here;
    await createLabFleets(here).wish('macos');
    there = await openLabScene(target, { namespace, lab });
    await there.startManager('manager', 'second');
    await view.until('the Machine is ready', () => view.machines.list().some(isUp), MAC_MS);
  });
  after(async () => {
    await there?.stop();
    await here?.stop();
    await target?.stop();
    await source?.stop();
  });

  it('is there with the same Mac, and gone here, while the Mac was not touched', async () => {
    const { view, namespace, lab } = here;
    const [machine] = view.machines.list();
    const [mac] = view.macs().filter(({ spec }) => spec.claimRef !== undefined);
    const writes = lab.cloud.audit().length;
    const move = ['move', '--namespace', namespace, '--to-kubeconfig', target.kubeconfig];
    const { code, stdout, stderr } = await source.run('clusterctl', move);
    assert.equal(code, 0, stdout + stderr);

    const signal = neverAborted();
    const moved = [
      ...(await there.client.list(CLUSTER_API_RESOURCES.machines, { namespace, signal })).items,
      ...(await there.client.list(MACHINES, { namespace, signal })).items,
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
    await there.view.until(
      'the machine over there is up on the same Mac',
      () =>
        there.view.machines.list().find((found) => isUp(found) && found.spec.providerID === machine?.spec.providerID),
      MAC_MS,
    );
    const written = lab.cloud.audit().slice(writes);
    assert.deepEqual(
      written.map(({ verb, serverId, argument }) => `${verb} ${serverId} ${argument}`),
      [],
      'nothing was written to Scaleway',
    );
  });
});
