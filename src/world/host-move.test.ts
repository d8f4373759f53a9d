/** What `clusterctl move` meets, on the virtual clock (R17). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../kube/types/cluster-api.ts';
import type { FleetWorld } from './fleet-world.ts';
import { moveFleet } from './simulate/disturbances/clusters.ts';
import { readyMachines, runUntil, startWorld } from './testing/fleet-run.ts';

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
});
