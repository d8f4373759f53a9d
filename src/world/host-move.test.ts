/** What `clusterctl move` meets, on the virtual clock (R17). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MACHINES } from '../kinds/machine.ts';
import { CLUSTER_API_ANNOTATIONS } from '../kube/types/cluster-api.ts';
import type { FleetWorld } from './fleet-world.ts';
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
});
