/** What `clusterctl move` meets, on the virtual clock (R17). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../kube/types/cluster-api.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { renderDemo } from './demo-fleet.ts';
import type { FleetWorld } from './fleet-world.ts';
import { moveFleet } from './simulate/disturbances/clusters.ts';
import { pass, readyMachines, runUntil, startWorld } from './testing/fleet-run.ts';

const isBlocked = ({ operator }: FleetWorld): boolean =>
  operator.list(MACHINES)[0]?.metadata.annotations?.[CLUSTER_API_ANNOTATIONS.blockMove] !== undefined;

describe('a machine that clusterctl may move', () => {
  it('R17 holds the move off while it is on its way to a Mac, and not before or after', async () => {
    const world = startWorld({ seed: 81, macs: 0 }, 1);
    await runUntil(world, 'waiting', () => world.operator.list(MACHINES)[0]?.status?.phase === 'Pending');
    assert.equal(isBlocked(world), false);
    world.cloud.addServer({ name: 'tuist-pool-late' });
    await runUntil(world, 'claimed', () => Boolean(world.operator.list(MACHINES)[0]?.status?.serverID));
    assert.equal(isBlocked(world), true);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(isBlocked(world), false);
  });

  for (const stripMs of [0, 2_000]) {
    it(`R17 is gone here with the record of its Mac, when clusterctl takes our finalizer off after ${stripMs} ms`, async () => {
      const world = startWorld({ seed: 82, macs: 1 });
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      const writes = world.cloud.audit().length;
      const second = world.secondCluster();
      moveFleet(world, second, stripMs);
      await runUntil(world, 'forgotten', () => world.operator.list(MAC_HOSTS).length === 0);
      await runUntil(world, 'ready over there', () => second.operator.list(MACHINES)[0]?.status?.phase === 'Ready');
      assert.deepEqual(world.cloud.audit().slice(writes), []);
    });
  }

  for (const remade of [false, true]) {
    const more = remade ? ', also when a Cluster of its name is made again' : '';
    it(`R17 keeps its Mac when the manager was away and an operator opted in to a reclaim${more}`, async () => {
      const reclaim = { claimPrefix: 'macos-', afterMs: 900_000 };
      const adjust = (ports: ProviderPorts): ProviderPorts => ({
        ...ports,
        settings: { ...ports.settings, limits: { ...ports.settings.limits, reclaim } },
      });
      const world = startWorld({ seed: 16, macs: 1, adjust });
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      const writes = world.cloud.audit().length;
      const second = world.secondCluster();
      world.kernel.restart('manager', 120_000);
      moveFleet(world, second, 2_000);
      await runUntil(world, 'held here', () => world.operator.list(MAC_HOSTS)[0]?.status?.state === 'held');
      const cluster = renderDemo(0).find(({ resource }) => resource.kind === 'Cluster');
      if (remade && cluster !== undefined) world.operator.apply(cluster);
      await pass(world, 2 * 3_600_000);
      assert.equal(second.operator.list(MACHINES)[0]?.status?.phase, 'Ready');
      assert.equal(world.operator.list(MAC_HOSTS)[0]?.spec.hold?.reason, 'OwnerVanished');
      assert.deepEqual(world.cloud.audit().slice(writes), []);
    });
  }
});
