/** Managers whose caches are not what the API server has: an etcd that went back, events that never came, two on one Mac. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { createCostMeter, renderCounts, sumOf } from './cost-meter.ts';
import type { FleetWorld } from './fleet-world.ts';
import { pass, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const MINUTE_MS = 60_000;

const start = (macs: number, wanted: number) => {
  const meter = createCostMeter();
  const world = startWorld({ seed: 3, macs, callsKept: 10_000, observer: { onRequest: meter.onRequest } }, wanted);
  return { world, meter };
};

const onRecord = (world: FleetWorld, macs: number): boolean =>
  world.operator.list(MAC_HOSTS).filter(({ status }) => status?.state === 'free').length === macs;

const serverIdsOf = (world: FleetWorld): readonly string[] =>
  world.operator.list(MACHINES).flatMap(({ status }) => status?.serverID ?? []);

describe('a manager whose caches are not what the API server has', () => {
  it('does not choose a Mac again and again that is not free, but looks free to it', async () => {
    const { world, meter } = start(1, 0);
    await runUntil(world, 'on record', () => onRecord(world, 1));
    const [host] = world.operator.list(MAC_HOSTS);
    const hold = { reason: 'Investigating', message: 'odd noise', by: 'ann' };
    world.apiTrouble.watches.trouble({ is: 'lose', events: 1 }, { actor: 'manager', kind: MAC_HOSTS.plural });
    world.operator.merge(MAC_HOSTS, host?.metadata.name ?? '', { spec: { hold } });
    meter.reset(world);
    scale(world, 1);
    await pass(world, MINUTE_MS / 2);
    const writes = meter.managerWrites();
    assert.ok(sumOf(writes) <= 20, `writes of half a minute:\n${renderCounts(writes, 1)}`);
  });

  it('R5 claims no Mac that a paused machine names too, writes little about it, and takes another one', async () => {
    const { world, meter } = start(1, 1);
    await runUntil(world, 'chosen', () => serverIdsOf(world).length === 1);
    const [serverId = ''] = serverIdsOf(world);
    const [name = ''] = world.operator.list(MACHINES).map(({ metadata }) => metadata.name);
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    scale(world, 2);
    const others = () => world.operator.list(MACHINES).filter(({ metadata }) => metadata.name !== name);
    await runUntil(world, 'another machine', () => others().length === 1);
    // As an old etcd may have it.
    world.operator.merge(MAC_HOSTS, serverId, { spec: { claimRef: null, assignedName: null, lastWrite: null } });
    world.operator.mergeStatus(MACHINES, others()[0]?.metadata.name ?? '', { status: { serverID: serverId } });
    meter.reset(world);
    await pass(world, MINUTE_MS);
    const writes = meter.managerWrites();
    assert.ok(sumOf(writes) <= 20, `writes of a minute:\n${renderCounts(writes, 1)}`);
    assert.deepEqual(
      others().map(({ status }) => status?.serverID),
      [undefined],
    );
    world.cloud.addServer({ name: 'tuist-pool-late' });
    await runUntil(world, 'the other one is ready', () => readyMachines(world) === 1);
  });

  it('R15 reads everything again when an old etcd is restored under it, and writes no more than it has to', async () => {
    const { world, meter } = start(5, 4);
    await runUntil(world, 'chosen', () => serverIdsOf(world).length === 4);
    const backup = world.plane.backUp();
    await runUntil(world, 'ready', () => readyMachines(world) === 4);
    scale(world, 1);
    await runUntil(world, 'gone', () => world.operator.list(MACHINES).length === 1);
    // Nothing that was sent before is on its way to the restored one.
    await pass(world, 5_000);
    const lost = world.plane.store.revision - backup.revision;
    world.plane.restore(backup, 'plain');
    meter.reset(world);
    // Others write too: soon the server has given again every version that it had given before.
    world.kernel.schedule(10_000, 'a busy cluster', () => {
      for (let count = 0; count < lost; count += 1)
        world.operator.create('/api/v1/namespaces/default/configmaps', { metadata: { name: `busy-${count}` } });
    });
    await pass(world, 5 * MINUTE_MS);
    const writes = meter.managerWrites();
    assert.ok(sumOf(writes) <= 150, `writes of five minutes:\n${renderCounts(writes, 1)}`);
    // One got the Mac that was free. One has its Mac again without a bootstrap, unless Cluster API, whose caches are as old, chose to
    // delete that very machine: then its Mac is given back. The others are held, for nobody asked to wipe them.
    const hosts = world.operator.list(MAC_HOSTS);
    const givenBack = hosts.filter(({ spec }) => spec.release?.reason === 'MachineDeleted');
    assert.equal(readyMachines(world) + givenBack.length, 2);
    assert.ok(readyMachines(world) >= 1);
    const held = hosts.filter(({ spec }) => spec.hold?.reason === 'RecordLost');
    assert.equal(held.length, 3);
  });
});
