/** What docs/compatibility.md says about taking over: machines as the Go original leaves them, without any record of ours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../src/kinds/mac-host.ts';
import { MACHINES } from '../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../src/kube/types/cluster-api.ts';
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

describe('machines that the Go original left half-way', () => {
  const PENDING = 'tuist-claim-pending-5d7c1a52-4b0e-4c93-9a36-0d6f1f3e1a77';
  /** It ended a moment ago; two Macs, one machine that has `id`. What it left is arranged before the manager starts. */
  const startAfter = async (seed: number, leave: (left: Left) => void) => {
    const world = startWorld({ seed, macs: 2 }, 1);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const [machine] = world.operator.list(MACHINES);
    const [id = '', name = ''] = [machine?.status?.serverID, machine?.metadata.name];
    world.kernel.restart('manager', 60_000);
    for (const { metadata } of world.operator.list(MAC_HOSTS)) {
      world.operator.remove(MAC_HOSTS, metadata.name);
      world.operator.merge(MAC_HOSTS, metadata.name, { metadata: { finalizers: [] } });
    }
    leave({ world, id, name });
    return { world, id, name, writes: world.cloud.audit().length };
  };
  interface Left {
    readonly world: FleetWorld;
    readonly id: string;
    readonly name: string;
  }
  /** Without the promises about the cloud: the original has broken some of them. */
  const runTo = async (world: FleetWorld, until: () => boolean): Promise<void> => {
    let events = 0;
    const lookNowAndThen = (): boolean => {
      events += 1;
      return events % 50 === 0 && until();
    };
    const { outcome } = await world.kernel.run({ ...BOUNDS, until: lookNowAndThen });
    assert.equal(outcome, 'until');
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 120_000 });
  };
  /** It is on record again, and works. */
  const isTakenOver = ({ operator }: FleetWorld): boolean =>
    operator.list(MAC_HOSTS).some(({ status }) => status?.state === 'joined' && status.configHash !== undefined);
  const rename = ({ cloud }: FleetWorld, id: string, to: string): void => {
    const server = cloud.server(id);
    if (server !== undefined) cloud.as('console').rename(server, to);
  };
  const machineOf = ({ operator }: FleetWorld) => operator.list(MACHINES)[0];

  it('R28 while it bootstrapped a Mac: goes on with that one, and writes nothing to Scaleway', async () => {
    const { world, id, writes } = await startAfter(32, ({ world: { operator }, name }) => {
      const status = { phase: 'Bootstrapping', ready: false, initialization: null, bootstrapAttempts: 4 };
      operator.mergeStatus(MACHINES, name, { status: { ...status, bootstrapRebootIssued: true } });
    });
    await runTo(world, () => isTakenOver(world) && readyMachines(world) === 1);
    assert.deepEqual([machineOf(world)?.status?.phase, machineOf(world)?.status?.serverID], ['Ready', id]);
    assert.equal(world.cloud.audit().length, writes);
  });

  it('R28 I-28 given up on, without a time: the Mac is rolled, and nothing of the failure is left', async () => {
    const { world, id, writes } = await startAfter(33, ({ world: { operator }, name }) =>
      operator.mergeStatus(MACHINES, name, {
        status: {
          ...{ phase: 'Failed', failureReason: 'TartKubeletUpdateExceededRetries', failureMessage: 'failed 5 times' },
          ...{ failedHostConfigHash: 'aa11', tartKubeletUpdateAttempts: 5, hostConfigHash: 'bb22' },
        },
      }),
    );
    await runTo(world, () => isTakenOver(world));
    const { phase, failureReason, serverID } = machineOf(world)?.status ?? {};
    assert.deepEqual([phase, failureReason, serverID], ['Ready', undefined, id]);
    assert.equal(world.cloud.audit().length, writes);
  });

  it('R3 W-24 between the pool name and the wipe of a machine that is deleted: wiped before anybody gets it', async () => {
    const { world, id } = await startAfter(34, ({ world: left, id: serverId, name }) => {
      rename(left, serverId, `tuist-pool-${serverId}`);
      left.operator.remove(CLUSTER_API_RESOURCES.machines, name);
      left.operator.remove(MACHINES, name);
    });
    await runTo(world, () => world.cloud.server(id)?.wipes === 1 && readyMachines(world) === 1);
  });

  it('R9 W-02 after it gave a Mac back that was never wiped: its next user finds that out, and has it wiped', async () => {
    const { world, id, name } = await startAfter(35, ({ world: left, id: serverId, name: deleted }) => {
      rename(left, serverId, `tuist-pool-${serverId}`);
      left.operator.remove(CLUSTER_API_RESOURCES.machines, deleted);
      left.operator.remove(MACHINES, deleted);
      left.operator.merge(MACHINES, deleted, { metadata: { finalizers: [] } });
      const other = left.cloud.servers().find((server) => server.id !== serverId);
      if (other !== undefined) left.cloud.deleteServer(other.id);
    });
    await runTo(world, () => readyMachines(world) === 1);
    assert.notEqual(machineOf(world)?.metadata.name, name);
    assert.deepEqual([machineOf(world)?.status?.serverID, world.cloud.server(id)?.wipes], [id, 1]);
  });

  it('T-45 with a pending name of its own: nothing is done to that server, and the machine takes another', async () => {
    const { world, id } = await startAfter(36, ({ world: left, id: serverId, name }) => {
      rename(left, serverId, PENDING);
      const status = { phase: 'Adopting', ready: false, initialization: null, serverID: '', addresses: null };
      left.operator.mergeStatus(MACHINES, name, { status });
      left.operator.merge(MACHINES, name, { spec: { providerID: null } });
    });
    const other = world.cloud.servers().find((server) => server.id !== id)?.id;
    await runTo(world, () => machineOf(world)?.status?.serverID === other);
    assert.deepEqual([world.cloud.server(id)?.name, world.cloud.server(id)?.wipes], [PENDING, 0]);
    assert.equal(machineOf(world)?.status?.serverID, other);
  });

  const HOSTLESS = { phase: 'Adopting', ready: false, initialization: null, serverID: '', addresses: null };

  it('T-43 with its own name on a server that it has not noted: it takes no second one, and says what to do', async () => {
    const { world, id, name, writes } = await startAfter(37, ({ world: { operator }, name: left }) => {
      operator.mergeStatus(MACHINES, left, { status: HOSTLESS });
      operator.merge(MACHINES, left, { spec: { providerID: null } });
    });
    const told = () => machineOf(world)?.status?.conditions?.find(({ type }) => type === 'Provisioned');
    await runTo(world, () => told()?.reason === 'StrayServer');
    assert.match(told()?.message ?? '', new RegExp(`${id} .* has the name of this machine.*rename it to a pool name`));
    assert.equal(world.cloud.audit().length, writes);
    rename(world, id, `tuist-pool-${id}`);
    await runTo(world, () => readyMachines(world) === 1);
    assert.equal(world.cloud.servers().filter((server) => server.name === name).length, 1);
  });

  it('T-21 being deleted before it gave its Mac any other name: the Mac is wiped and goes back', async () => {
    const { world, id } = await startAfter(38, ({ world: { operator }, name }) => {
      operator.mergeStatus(MACHINES, name, { status: { phase: 'Deleting' } });
      operator.remove(CLUSTER_API_RESOURCES.machines, name);
      operator.remove(MACHINES, name);
    });
    await runTo(world, () => world.cloud.server(id)?.wipes === 1 && readyMachines(world) === 1);
  });

  it('I-28 InvalidOSPin with a Mac and a pin of the time before families: it keeps its Mac, and gives it back', async () => {
    const { world, id, name, writes } = await startAfter(39, ({ world: { operator }, name: left }) =>
      operator.merge(MACHINES, left, { spec: { os: 'macos-tahoe-26.3' } }),
    );
    await runTo(world, () => isTakenOver(world));
    assert.deepEqual([machineOf(world)?.status?.serverID, world.cloud.audit().length], [id, writes]);
    world.operator.remove(CLUSTER_API_RESOURCES.machines, name);
    await runTo(world, () => world.cloud.server(id)?.wipes === 1);
  });
});
