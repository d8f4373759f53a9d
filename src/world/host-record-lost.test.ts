/** A MacHost that somebody deletes by force while a machine names it, on the virtual clock: its Mac is not forgotten. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS, type MacHost } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../kube/types/certificates.ts';
import { CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import { NAMESPACES } from '../kube/types/core.ts';
import type { FleetWorld } from './fleet-world.ts';
import { BOUNDS, readyMachines, runUntil, startWorld } from './testing/fleet-run.ts';

const hostOf = ({ operator }: FleetWorld, serverId: string): MacHost | undefined =>
  operator.list(MAC_HOSTS).find(({ metadata }) => metadata.name === serverId);

const serverOf = ({ operator }: FleetWorld): string => operator.list(MACHINES)[0]?.status?.serverID ?? '';

/** `kubectl delete --force`, and the finalizer stripped. */
const loseRecord = ({ operator }: FleetWorld, serverId: string): void => {
  operator.remove(MAC_HOSTS, serverId);
  operator.merge(MAC_HOSTS, serverId, { metadata: { finalizers: [] } });
};

/** Two Macs, one machine: it may be tempted. Its first choice is lost when `when` is true of its record. */
const startAndLose = async (seed: number, when: (host: MacHost, world: FleetWorld) => boolean) => {
  const world = startWorld({ seed, macs: 2 }, 1);
  await runUntil(world, 'the moment', () => {
    const host = hostOf(world, serverOf(world));
    return host !== undefined && when(host, world);
  });
  const first = serverOf(world);
  return { world, first };
};

const isPending = (host: MacHost, { cloud }: FleetWorld): boolean =>
  cloud.server(host.metadata.name)?.name.startsWith('tuist-claim-pending-') === true;

describe('the record of a Mac that is lost before its machine is provisioned', () => {
  const rows: readonly { story: string; seed: number; when: (host: MacHost, world: FleetWorld) => boolean }[] = [
    { story: 'while it has its pending name', seed: 101, when: isPending },
    {
      story: 'while it has its final name',
      seed: 102,
      when: ({ spec }) => spec.claimRef !== undefined && spec.assignedName?.current === spec.claimRef.name,
    },
    { story: 'while it is bootstrapped', seed: 103, when: ({ status }) => status?.operation?.steps !== undefined },
  ];
  for (const { story, seed, when } of rows) {
    it(`S10 R4 R15 is waited for ${story}, and the machine goes on with that Mac`, async () => {
      const { world, first } = await startAndLose(seed, when);
      const [other] = world.cloud.servers().filter(({ id }) => id !== first);
      loseRecord(world, first);
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      assert.equal(serverOf(world), first);
      assert.equal(world.cloud.server(first)?.wipes, 0);
      assert.match(world.cloud.server(other?.id ?? '')?.name ?? '', /^tuist-pool-/, 'nobody touched the other');
    });
  }

  it('R19 is not waited for when its Mac is gone too: the machine takes another', async () => {
    const { world, first } = await startAndLose(104, ({ status }) => status?.operation?.steps !== undefined);
    world.cloud.deleteServer(first);
    loseRecord(world, first);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.notEqual(serverOf(world), first);
  });

  it('D14 is waited for as long as Scaleway does not answer', async () => {
    const { world, first } = await startAndLose(105, ({ status }) => status?.operation?.steps !== undefined);
    world.cloud.goAway(20 * 60_000);
    loseRecord(world, first);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(serverOf(world), first);
    const requests = world.operator.list(CERTIFICATE_SIGNING_REQUESTS).length;
    assert.ok(requests < 10, `the Mac that joins meanwhile is left waiting, not refused: ${requests} requests`);
  });
});

describe('the record of a Mac that is lost before its machine is deleted', () => {
  const { machines: CORE_MACHINES } = CLUSTER_API_RESOURCES;
  /** A machine at work is deleted, in the moment in which nobody has a record of its Mac. */
  const loseAndDelete = async (seed: number) => {
    const world = startWorld({ seed, macs: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const serverId = serverOf(world);
    loseRecord(world, serverId);
    for (const { metadata } of world.operator.list(CORE_MACHINES)) world.operator.remove(CORE_MACHINES, metadata.name);
    return { world, serverId };
  };

  it('R11 is waited for: its Mac is given back, and not left at work with nobody to know of it', async () => {
    const { world, serverId } = await loseAndDelete(106);
    await runUntil(world, 'in the pool', () => world.cloud.server(serverId)?.wipes === 1);
  });

  it('R19 is not waited for when its Mac is gone too', async () => {
    const { world, serverId } = await loseAndDelete(107);
    world.cloud.deleteServer(serverId);
    const isGone = (): boolean => world.operator.list(MACHINES).every(({ status }) => status?.serverID !== serverId);
    await runUntil(world, 'the machine is gone', isGone);
  });

  it('R3 R18 is waited for when its machine goes with its namespace: the Mac is held, also under a pool name that the original gave it', async () => {
    const world = startWorld({ seed: 109, macs: 1, namespace: 'fleet' });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const serverId = serverOf(world);
    const server = world.cloud.server(serverId);
    assert.ok(server);
    world.cloud.as('console').rename(server, `tuist-pool-${serverId}`);
    loseRecord(world, serverId);
    world.operator.remove(NAMESPACES, 'fleet');
    // Without the promises about the cloud: the original has broken one of them.
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 3_600_000 });
    assert.deepEqual(world.operator.list(MACHINES), []);
    assert.equal(hostOf(world, serverId)?.spec.hold?.reason, 'NamespaceTerminating');
    assert.equal(hostOf(world, serverId)?.status?.state, 'held');
    assert.equal(world.cloud.server(serverId)?.wipes, 0);
  });

  it('R18 is not waited for much longer than a list takes when its machine goes with its namespace', async () => {
    const world = startWorld({ seed: 108, macs: 1, namespace: 'fleet' });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const serverId = serverOf(world);
    world.cloud.goAway(3 * 3_600_000);
    loseRecord(world, serverId);
    world.operator.remove(NAMESPACES, 'fleet');
    await runUntil(world, 'the machine is gone', () => world.operator.list(MACHINES).length === 0);
    assert.equal(world.cloud.server(serverId)?.wipes, 0);
  });
});
