import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAC_HOSTS } from '../../kinds/mac-host.ts';
import { MACHINES } from '../../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { FOLDED_PACE } from '../fleet-pace.ts';
import { createFleetWorld, type FleetWorld } from '../fleet-world.ts';
import { startFleet } from './start-fleet.ts';

const runUntil = async (world: FleetWorld, isReached: () => boolean): Promise<void> => {
  const { outcome } = await world.kernel.run({ maxEvents: 50_000, maxVirtualMs: 14_400_000, until: isReached });
  assert.equal(outcome, 'until');
};

it('R10 R23 a Mac that is adopted again by the same manager works under a new epoch, with its identity on record', async () => {
  const world = createFleetWorld({ seed: 104, macs: 1, pace: FOLDED_PACE });
  const { operator } = world;
  startFleet(world, 1);
  const joined = () => operator.list(MAC_HOSTS).find(({ status }) => status?.state === 'joined');
  const scale = (replicas: number): void =>
    operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas } });
  await runUntil(world, () => joined() !== undefined);
  const first = joined()?.spec;
  scale(0);
  await runUntil(world, () => operator.list(MAC_HOSTS)[0]?.status?.state === 'free');
  scale(1);
  await runUntil(world, () => joined() !== undefined);
  const second = joined()?.spec;
  assert.ok((second?.epoch ?? 0) > (first?.epoch ?? 0), `${second?.epoch} after ${first?.epoch}`);
  assert.equal(second?.identity?.nodeName, operator.list(MACHINES)[0]?.metadata.name);
});
