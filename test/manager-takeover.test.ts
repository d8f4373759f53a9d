/** What docs/compatibility.md says about taking over: machines as the Go original leaves them, without any record of ours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../src/kinds/mac-host.ts';
import { MACHINES } from '../src/kinds/machine.ts';
import type { FleetWorld } from '../src/world/fleet-world.ts';
import { BOUNDS, checkOf, readyMachines, runUntil, startWorld } from '../src/world/testing/fleet-run.ts';

const serversOf = ({ operator }: FleetWorld): readonly (string | undefined)[] =>
  operator.list(MACHINES).map(({ status }) => status?.serverID);

const isAllJoined = ({ operator }: FleetWorld): boolean => {
  const hosts = operator.list(MAC_HOSTS);
  return hosts.length === 2 && hosts.every(({ status }) => status?.state === 'joined');
};

/** The fleet is there, and no MacHost is, when the manager starts. */
const startWithoutRecords = async (seed: number): Promise<FleetWorld> => {
  const world = startWorld({ seed, macs: 2 });
  await runUntil(world, 'ready', () => readyMachines(world) === 2);
  world.kernel.restart('manager', 60_000);
  for (const { metadata } of world.operator.list(MAC_HOSTS)) {
    world.operator.remove(MAC_HOSTS, metadata.name);
    world.operator.merge(MAC_HOSTS, metadata.name, { metadata: { finalizers: [] } });
  }
  assert.equal(world.operator.list(MAC_HOSTS).length, 0);
  return world;
};

describe('taking over from the Go original (R28)', () => {
  it('R28 I-16 puts Macs on record that machines have, and does nothing to them', async () => {
    const world = await startWithoutRecords(31);
    const [servers, writes] = [serversOf(world), world.cloud.audit().length];
    await runUntil(world, 'all on record', () => isAllJoined(world));
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 900_000, check: checkOf(world) });
    assert.deepEqual(serversOf(world), servers);
    assert.equal(world.cloud.audit().length, writes);
    assert.equal(readyMachines(world), 2);
  });
});
