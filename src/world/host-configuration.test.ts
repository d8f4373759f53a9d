/** What a machine wants of its Mac's configuration, on the virtual clock: what is pushed is what is recorded, on every way. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHostPreparer } from '../hosts/host-preparer.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { createStepLevelConfiguration } from '../sim/mac/step-level-configuration.ts';
import type { FleetWorld } from './fleet-world.ts';
import { isTold, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

/** The digest that a Mac has which is configured so. */
const digestOf = (inputs: Readonly<Record<string, string>>): string =>
  createHostPreparer({
    ...{ hosts: { open: () => Promise.reject(new Error('nobody asks')) }, ...createStepLevelConfiguration() },
    clock: { now: () => 0, elapsed: () => 0, schedule: () => () => undefined },
  }).digestOf({ fleet: 'macos', role: 'node', inputs });

const hashOf = ({ operator }: FleetWorld): string | undefined => operator.list(MAC_HOSTS)[0]?.status?.configHash;

describe('the configuration of a Mac', () => {
  it('T-10 T-11 I-21 is recorded as it was pushed, and pushed anew when its machine wants another', async () => {
    const world = startWorld({ seed: 101, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1 && hashOf(world) !== undefined);
    assert.equal(hashOf(world), digestOf({}));
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.merge(MACHINES, name, { spec: { hostCPU: 6, hostMemoryMB: 9_000 } });
    const wanted = digestOf({ hostCpu: '6', hostMemoryMb: '9000' });
    assert.notEqual(wanted, digestOf({}));
    await runUntil(world, 'rolled', () => hashOf(world) === wanted);
    assert.deepEqual(world.operator.list(MAC_HOSTS)[0]?.spec.configuration, { hostCPU: 6, hostMemoryMB: 9_000 });
  });

  it('004-5 reaches a Mac that is to be different from its fleet, now and with the next release', async () => {
    const world = startWorld({ seed: 104, macs: 3 });
    const hosts = () => world.operator.list(MAC_HOSTS);
    await runUntil(
      world,
      'ready',
      () => readyMachines(world) === 3 && hosts().every((host) => host.status?.configHash),
    );
    const last = hosts()
      .map(({ metadata }) => metadata.name)
      .sort()
      .at(-1);
    const machine = world.operator.list(MACHINES).find(({ status }) => status?.serverID === last);
    const hashes = () => hosts().map(({ status }) => status?.configHash);
    world.operator.merge(MACHINES, machine?.metadata.name ?? '', { spec: { hostCPU: 6 } });
    await runUntil(world, 'rolled', () =>
      hosts().some(({ status }) => status?.configHash === digestOf({ hostCpu: '6' })),
    );
    const before = new Set(hashes());
    assert.deepEqual(before, new Set<string | undefined>([digestOf({}), digestOf({ hostCpu: '6' })]));
    world.upgrade('2');
    await runUntil(world, 'all have the next', () => hashes().every((hash) => !before.has(hash)));
    assert.equal(new Set(hashes()).size, 2);
  });

  it('R28 R17 of one that was taken over is pushed once, and nothing else is done to it', async () => {
    const world = startWorld({ seed: 103, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1 && hashOf(world) !== undefined);
    const id = world.operator.list(MAC_HOSTS)[0]?.metadata.name ?? '';
    const writes = world.cloud.audit().length;
    world.operator.remove(MAC_HOSTS, id);
    world.operator.merge(MAC_HOSTS, id, { metadata: { finalizers: [] } });
    await runUntil(world, 'on record anew', () => world.operator.list(MAC_HOSTS)[0]?.spec.takenOver === true);
    await runUntil(world, 'pushed', () => hashOf(world) === digestOf({}));
    assert.equal(world.cloud.audit().length, writes);
    assert.equal(readyMachines(world), 1);
  });

  it('T-32 I-19 a Mac whose family of macOS is published no more is wiped all the same', async () => {
    const world = startWorld({ seed: 102, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    world.operator.merge(MAC_HOSTS, world.cloud.servers()[0]?.id ?? '', { spec: { osFamily: 'Retired' } });
    scale(world, 0);
    await runUntil(world, 'wiped', () => world.cloud.servers()[0]?.wipes === 1);
    assert.ok(isTold(world, 'OSPinUnavailable'));
  });
});
