/** L14: Macs that hang hold nobody up but themselves. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MACHINES } from '../kinds/machine.ts';
import { FOLDED_PACE } from './fleet-pace.ts';
import { createFleetWorld, type FleetWorld } from './fleet-world.ts';
import { startFleet } from './simulate/start-fleet.ts';

const MACS = 6;
const HANGING = 2;

const ready = ({ operator }: FleetWorld): number =>
  operator.list(MACHINES).filter(({ status }) => status?.initialization?.provisioned).length;

/** How long it takes until so many Macs have joined, in virtual time. */
const timeUntilReady = async (wanted: number, prepare: (world: FleetWorld) => void): Promise<number> => {
  const world = createFleetWorld({ seed: 14, macs: MACS, pace: FOLDED_PACE });
  startFleet(world, MACS);
  prepare(world);
  let events = 0;
  const until = (): boolean => {
    events += 1;
    return events % 5 === 0 && ready(world) >= wanted;
  };
  const { outcome } = await world.kernel.run({ maxEvents: 100_000, maxVirtualMs: 3_600_000, until });
  assert.equal(outcome, 'until');
  return world.kernel.nowMs();
};

it('L14: with two of six Macs hanging in their bootstrap, the others are ready as soon as without', async () => {
  const wanted = MACS - HANGING;
  const alone = await timeUntilReady(wanted, () => undefined);
  const beside = await timeUntilReady(wanted, ({ cloud, macs }) => {
    for (const { id } of cloud.servers().slice(0, HANGING))
      macs.mac(id).addStepFault({ step: 'tart', kind: 'hang', times: 20 });
  });
  assert.ok(beside <= 1.1 * alone, `${beside} ms beside hanging Macs, ${alone} ms without`);
});
