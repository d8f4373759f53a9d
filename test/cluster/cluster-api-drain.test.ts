/** Deleting a Machine on the real Cluster API core: first its Pods are evicted, then its Mac is given back, then its Node goes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Cluster } from './bench/cluster.ts';
import { installKinds, sharedCluster } from './bench.ts';
import { renderDeployment, renderGuardedPod } from './cluster-api/fleet-objects.ts';
import { type FleetScene, openFleet } from './cluster-api/fleet-scene.ts';
import { createStory } from './cluster-api/story.ts';
import { conditionOf, isUp } from './cluster-api/view.ts';

describe('a Machine that is deleted while a Pod works on its Mac', { timeout: 180_000 }, () => {
  const { step, play } = createStory();
  let cluster: Cluster;
  let fleet: FleetScene;
  let name = '';
  before(async () => {
    cluster = await sharedCluster('cluster-api');
    await installKinds(cluster);
    fleet = await openFleet(cluster, { macs: 2 });
    const { view, namespace } = fleet;
    await fleet.apply([...renderDeployment(namespace, 1), ...renderGuardedPod(namespace)]);
    const pod = await view.until('the Pod runs', () =>
      view.pods.list().find(({ status }) => status?.phase === 'Running'),
    );
    name = pod.spec.nodeName ?? '';
    await view.until('its Machine is ready', () =>
      view.machines.list().find((found) => found.metadata.name === name && isUp(found)),
    );
  });
  after(async () => {
    await fleet?.stop();
    await cluster?.stop();
  });

  step('is drained first: the Node takes no new Pods, and core says for which Pod it waits and why', async () => {
    const { view, namespace } = fleet;
    assert.equal((await cluster.kubectl(['delete', 'machine', name, '-n', namespace, '--wait=false'])).code, 0);
    const draining = await view.until('core waits for the Pod', () => {
      const machine = view.machines.get(`${namespace}/${name}`);
      const deleting = machine && conditionOf(machine, 'Deleting');
      return deleting?.reason === 'DrainingNode' && deleting.message.includes('guarded') ? deleting : undefined;
    });
    assert.match(draining.message, /guarded: cannot evict pod as it would violate the pod's disruption budget/);
    assert.equal(view.nodes.get(name)?.spec?.unschedulable, true);
  });

  step('keeps Pod, Mac and machine of ours for as long as a disruption budget protects the Pod', async () => {
    const { view, namespace } = fleet;
    const infra = view.infraMachines.get(`${namespace}/${name}`);
    assert.equal(infra?.metadata.deletionTimestamp, undefined);
    const [host] = view.macs().filter(({ spec }) => spec.claimRef?.name === name);
    assert.deepEqual([host?.status?.state, host?.spec.release], ['joined', undefined]);
    const [pod] = view.pods.list();
    assert.deepEqual([pod?.status?.phase, pod?.metadata.deletionTimestamp], ['Running', undefined]);
  });

  step(
    'is gone once the budget allows it: Pod, then Mac, then Node; and another Machine has taken its place',
    async () => {
      const { view, namespace } = fleet;
      const [host] = view.macs().filter(({ spec }) => spec.claimRef?.name === name);
      assert.equal((await cluster.kubectl(['delete', 'pdb', 'guard', '-n', namespace])).code, 0);
      await view.until('the Mac is being released', () => view.hosts.get(host?.metadata.name ?? '')?.spec.release);
      assert.equal(view.pods.list().length, 0, 'its Pod was evicted before');
      await view.until('machine, Node and Machine are gone', () => {
        const key = `${namespace}/${name}`;
        return ![view.infraMachines.get(key), view.nodes.get(name), view.machines.get(key)].some(Boolean);
      });
      await view.until(
        'the Mac is free again',
        () => view.hosts.get(host?.metadata.name ?? '')?.status?.state === 'free',
      );
      const next = await view.until('another Machine is ready', () => view.machines.list().find(isUp));
      assert.notEqual(next.metadata.name, name);
    },
  );

  it('goes step by step', (t) => play((name, run) => t.test(name, run)));
});
