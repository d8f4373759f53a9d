/** Pausing on the real Cluster API core: whoever pauses a Cluster or a machine finds everything as it was left. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { CLUSTER_NAME, renderDeployment } from './cluster-api/fleet-objects.ts';
import { type FleetScene, openFleet } from './cluster-api/fleet-scene.ts';
import { createStory } from './cluster-api/story.ts';
import { conditionOf, isTrue, isUp } from './cluster-api/view.ts';

describe('a paused fleet', { timeout: 180_000 }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let fleet: FleetScene;
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    // One Mac for two Machines: one runs, the other waits.
    fleet = await openFleet(cluster, { macs: 1 });
    const { view, namespace } = fleet;
    await fleet.apply(renderDeployment(namespace, 2));
    await view.until('one Machine is ready and the other waits', () => {
      const [ready, waiting] = [readyOnes(fleet), waitingOnes(fleet)];
      return ready.length === 1 && waiting.length === 1;
    });
  });
  after(async () => {
    await fleet?.stop();
    await cluster?.stop();
  });

  const kubectl = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await cluster.kubectl([...args, '-n', fleet.namespace]);
    assert.equal(code, 0, stderr);
  };
  const ours = () => {
    const { infraClusters, controlPlanes, infraMachines } = fleet.view;
    return [...infraClusters.list(), ...controlPlanes.list(), ...infraMachines.list()];
  };

  step('says that it is paused, on every object of ours, and then writes nothing, whatever wakes it', async () => {
    const { view } = fleet;
    const setPaused = (paused: boolean) =>
      kubectl('patch', 'cluster', CLUSTER_NAME, '--type=merge', '-p', JSON.stringify({ spec: { paused } }));
    await setPaused(true);
    await view.until('all say so', () => ours().every((object) => isTrue(object, 'Paused')));
    const before = await fleet.managerCounts();
    for (const { metadata } of view.infraMachines.list()) await kubectl('label', 'samm', metadata.name, 'poked=yes');
    for (const { metadata } of view.macs()) await kubectl('label', 'machost', metadata.name, 'poked=yes');
    await fleet.untilManager(
      'has looked at all that was poked',
      ({ reconciles }) => reconciles >= before.reconciles + 3,
    );
    assert.equal((await fleet.managerCounts()).writes, before.writes);
    await setPaused(false);
    await view.until('all say that it goes on', () =>
      ours().every((object) => conditionOf(object, 'Paused')?.reason === 'NotPaused'),
    );
  });

  step('leaves a machine alone that is paused by itself: the Mac that comes free goes to another', async () => {
    const { view, namespace } = fleet;
    const [paused = ''] = waitingOnes(fleet);
    const [running = ''] = readyOnes(fleet);
    await kubectl('annotate', 'samm', paused, 'cluster.x-k8s.io/paused=');
    await view.until('it says so', () => {
      const machine = view.infraMachines.get(`${namespace}/${paused}`);
      return machine !== undefined && isTrue(machine, 'Paused');
    });
    await kubectl('delete', 'machine', running, '--wait=false');
    const [next] = await view.until('the Mac has joined for a third Machine', () => {
      const others = readyOnes(fleet).filter((name) => name !== running);
      return others.length === 1 ? others : undefined;
    });
    assert.notEqual(next, paused);
    const left = view.infraMachines.get(`${namespace}/${paused}`);
    assert.deepEqual([left?.status?.serverID ?? '', left?.spec.providerID], ['', undefined]);
  });

  it('is left alone', (t) => play((name, run) => t.test(name, run)));
});

const readyOnes = ({ view }: FleetScene): readonly string[] =>
  view.machines
    .list()
    .filter(isUp)
    .map(({ metadata }) => metadata.name);

const waitingOnes = ({ view }: FleetScene): readonly string[] =>
  view.infraMachines
    .list()
    .filter((machine) => conditionOf(machine, 'Provisioned')?.reason === 'NoAvailableHost' && !machine.status?.serverID)
    .map(({ metadata }) => metadata.name);
