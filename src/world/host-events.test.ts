/** What just happened to a machine and its Mac, told as Events under the reasons that runbooks of the original know. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONDITIONS } from '../kinds/condition-reasons.ts';
import { MACHINES } from '../kinds/machine.ts';
import { EVENTS } from '../kube/types/core.ts';
import type { FleetWorld } from './fleet-world.ts';
import { freeHosts, pass, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

/** In the order in which they were told, without those of others. */
const toldOf = ({ operator }: FleetWorld, kind: string): readonly string[] =>
  operator
    .list(EVENTS)
    .filter(({ involvedObject, source }) => involvedObject.kind === kind && source?.component === SOURCE)
    .map(({ type, reason, firstTimestamp = '' }) => ({ told: `${type} ${reason}`, firstTimestamp }))
    .toSorted((one, other) => one.firstTimestamp.localeCompare(other.firstTimestamp))
    .map(({ told }) => told);

const SOURCE = 'scalewayapplesiliconmachine-controller';
const MACHINE = 'ScalewayAppleSiliconMachine';

const bootstrappedOf = ({ operator }: FleetWorld) => {
  const conditions = operator.list(MACHINES)[0]?.status?.conditions;
  const { status, reason } = conditions?.find(({ type }) => type === CONDITIONS.machine.bootstrapped) ?? {};
  return [status, reason];
};

describe('events of a machine and its Mac', () => {
  it('tell each part of its way once, there and back', async () => {
    const world = startWorld({ seed: 71, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    await pass(world, 600_000);
    const way = ['Adopting', 'Adopted', 'Bootstrapping', 'Bootstrapped', 'Provisioned'].map(
      (reason) => `Normal ${reason}`,
    );
    assert.deepEqual(new Set(toldOf(world, MACHINE)), new Set(way));
    assert.equal(toldOf(world, MACHINE).length, way.length);
    assert.equal(toldOf(world, MACHINE)[0], way[0]);
    assert.deepEqual(bootstrappedOf(world), ['True', 'Bootstrapped']);
    scale(world, 0);
    await runUntil(world, 'the return', () => freeHosts(world) === 1);
    await pass(world, 10_000);
    assert.equal(toldOf(world, MACHINE).at(-1), 'Normal Releasing');
    assert.deepEqual(toldOf(world, 'MacHost'), ['Normal Released']);
  });

  it('tell that there is no Mac once, and again only when that was otherwise', async () => {
    const world = startWorld({ seed: 72, macs: 0 }, 1);
    const isTold = () => toldOf(world, MACHINE).includes('Warning NoAvailableHost');
    await runUntil(world, 'told', isTold);
    await pass(world, 3_600_000);
    assert.deepEqual(toldOf(world, MACHINE), ['Warning NoAvailableHost']);
  });

  it('000-2 tell that no password is known, and the machine says so too; no Mac is given the marker', async () => {
    const world = startWorld({ seed: 73, macs: 1 });
    for (const { id } of world.cloud.servers()) world.cloud.sealPassword(id);
    await runUntil(world, 'told', () => bootstrappedOf(world)[1] === 'MissingSudoPassword');
    assert.equal(bootstrappedOf(world)[0], 'False');
    assert.ok(toldOf(world, 'MacHost').includes('Warning MissingSudoPassword'));
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });
});
