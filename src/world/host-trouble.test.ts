import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../base/errors.ts';
import { MAC_HOSTS, type MacHost } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { renderProviderId } from '../kinds/names.ts';
import { CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import { EVENTS, NAMESPACES } from '../kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kube/types/extensions.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import type { FleetWorld } from './fleet-world.ts';
import { BOUNDS, freeHosts, isTold, pass, readyMachines, runUntil, scale, startWorld } from './testing/fleet-run.ts';

const { machines: CORE_MACHINES } = CLUSTER_API_RESOURCES;

const hostOf = ({ operator }: FleetWorld, serverId: string | undefined): MacHost | undefined =>
  operator.list(MAC_HOSTS).find(({ metadata }) => metadata.name === serverId);

/** What the table of MacHosts shows of one that is not ready. */
const waitsFor = (world: FleetWorld, serverId: string): string => {
  const ready = hostOf(world, serverId)?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' ? `${ready.reason}: ${ready.message}` : '';
};

const verbsOf = ({ cloud }: FleetWorld, serverId: string): readonly string[] =>
  cloud
    .audit()
    .filter((entry) => entry.serverId === serverId)
    .map(({ verb }) => verb);

const countOf = (world: FleetWorld, serverId: string, verb: string): number =>
  verbsOf(world, serverId).filter((one) => one === verb).length;

/** The server of the only machine. */
const adopted = async (world: FleetWorld): Promise<string> => {
  await runUntil(world, 'ready', () => readyMachines(world) === 1);
  return world.operator.list(MACHINES)[0]?.status?.serverID ?? '';
};

/** An operator opted in to have the Macs of machines given back that vanish (004-8). */
const optedIn = (ports: ProviderPorts): ProviderPorts => {
  const limits = { ...ports.settings.limits, reclaim: { claimPrefix: 'macos-', afterMs: 900_000 } };
  return { ...ports, settings: { ...ports.settings, limits } };
};

/** A machine that has a Mac is deleted by force. */
const lose = ({ operator }: FleetWorld): void => {
  const { name = '' } = operator.list(MACHINES).find(({ status }) => status?.serverID)?.metadata ?? {};
  operator.remove(MACHINES, name);
  operator.merge(MACHINES, name, { metadata: { finalizers: [] } });
};

const heldIn = ({ operator }: FleetWorld): number =>
  operator.list(MAC_HOSTS).filter(({ status }) => status?.state === 'held').length;

const wipesOf = ({ cloud }: FleetWorld): number => cloud.servers().reduce((sum, server) => sum + server.wipes, 0);

/** As in fleet-world.test.ts: MACFLEET_CRASH_POINTS=all tries every point, which takes long. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 1_000;

describe('trouble with a Mac, on the virtual clock', () => {
  it('000-4 reboots a Mac once that fails three times, and no second time', async () => {
    const world = startWorld({ seed: 11, macs: 1 });
    const [server] = world.cloud.servers();
    const id = server?.id ?? '';
    world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 5, output: 'no space' });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(countOf(world, id, 'reboot'), 1);
    assert.equal(countOf(world, id, 'reinstall'), 0);
    for (const reason of ['BootstrapFailed', 'RebootingForRecovery']) assert.ok(isTold(world, reason), reason);
  });

  const rebootAnswers = [
    { story: '000-7 T-41 of a server that is not found counts as done', kind: 'not-found', sent: 1 },
    { story: '000-4 T-30 that is refused does not count, which is told', kind: 'denied', sent: 2 },
  ] as const;
  for (const { story, kind, sent } of rebootAnswers) {
    it(`a reboot ${story}`, async () => {
      const calls: string[] = [];
      const adjust = (ports: ProviderPorts): ProviderPorts => {
        const rebootServer: ProviderPorts['cloud']['rebootServer'] = async (server, call) => {
          calls.push(server.id);
          if (calls.length === 1) throw new FleetError(kind, { code: 'Refused', message: 'no' });
          return ports.cloud.rebootServer(server, call);
        };
        return { ...ports, cloud: { ...ports.cloud, rebootServer } };
      };
      const world = startWorld({ seed: 29, macs: 1, adjust });
      const id = world.cloud.servers()[0]?.id ?? '';
      world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 7, output: 'no space' });
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      assert.equal(calls.length, sent);
      assert.equal(isTold(world, 'RebootForRecoveryFailed'), sent === 2);
    });
  }

  it('T-12 waits for the Node of a Mac that is bootstrapped, then says that it is missing, and bootstraps it anew', async () => {
    const world = startWorld({ seed: 30, macs: 1 });
    await runUntil(world, 'claimed', () => world.operator.list(MACHINES)[0]?.status?.serverID !== undefined);
    const [machine] = world.operator.list(MACHINES);
    const id = machine?.status?.serverID ?? '';
    const providerId = renderProviderId({ zone: world.cloud.zone, serverId: id });
    world.kernel.pause(`node ${machine?.metadata.name} ${providerId}`, 600_000);
    const bootstrapAt = (): number => world.macs.mac(id).view().epochFile?.epoch ?? 0;
    await runUntil(world, 'bootstrapped', () => hostOf(world, id)?.status?.configHash !== undefined);
    const [first, sinceMs] = [bootstrapAt(), world.kernel.actor('world').clock.now()];
    await runUntil(world, 'told', () => isTold(world, 'NodeMissing'));
    assert.ok(world.kernel.actor('world').clock.now() - sinceMs >= 25_000, 'in the world it waits for half a minute');
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.ok(bootstrapAt() > first);
  });

  it('T-47 a Mac whose last name is refused keeps the pending one, which is told, and gets the last one later', async () => {
    const world = startWorld({ seed: 31, macs: 1 });
    const [server] = world.cloud.servers();
    const nameOf = (): string => world.cloud.server(server?.id ?? '')?.name ?? '';
    await runUntil(world, 'pending', () => nameOf().startsWith('tuist-claim-pending-'));
    world.cloud.switchOn('F01', { verb: 'rename' });
    await pass(world, 600_000);
    assert.match(nameOf(), /^tuist-claim-pending-/);
    const [host] = world.operator.list(MAC_HOSTS);
    const ready = host?.status?.conditions?.find(({ type }) => type === 'Ready');
    assert.deepEqual([host?.status?.state, ready?.status, ready?.reason], ['claimed', 'Unknown', 'CloudUnavailable']);
    world.cloud.switchOff('F01', { verb: 'rename' });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('I-03 makes four Macs ready in about the time of one', async () => {
    const timeOf = async (macs: number): Promise<number> => {
      const world = startWorld({ seed: 32, macs });
      await runUntil(world, 'ready', () => readyMachines(world) === macs);
      return world.kernel.actor('world').clock.elapsed();
    };
    const [one, four] = [await timeOf(1), await timeOf(4)];
    assert.ok(four < 1.5 * one, `${four} ms for four, ${one} ms for one`);
  });

  it('tells of a failed attempt what went wrong and when the next is, and does not say it twice', async () => {
    const world = startWorld({ seed: 11, macs: 1 });
    const id = world.cloud.servers()[0]?.id ?? '';
    world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 1, output: 'no space' });
    const isPaused = () => hostOf(world, id)?.spec.budgets.bootstrap.nextAttemptAt !== undefined;
    await runUntil(world, 'the first attempt failed', isPaused);
    const toldOf = () => hostOf(world, id)?.status?.conditions?.find(({ type }) => type === 'Ready')?.message;
    await pass(world, 1_000);
    const told = toldOf();
    assert.match(told ?? '', /^attempt 1 failed: .*no space.*; the next is at 2026-/s);
    await pass(world, 10_000);
    assert.equal(toldOf(), told);
  });

  it('000-5 R22 gives a Mac back after eight failures and takes another under the same machine', async () => {
    const world = startWorld({ seed: 12, macs: 2 }, 1);
    await runUntil(world, 'claimed', () => world.operator.list(MACHINES)[0]?.status?.serverID !== undefined);
    const machine = world.operator.list(MACHINES)[0];
    const first = machine?.status?.serverID ?? '';
    world.macs.mac(first).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
    await runUntil(world, 'ready on another', () => readyMachines(world) === 1);
    const [same] = world.operator.list(MACHINES);
    assert.equal(same?.metadata.uid, machine?.metadata.uid);
    assert.notEqual(same?.status?.serverID, first);
    await runUntil(world, 'the first is free', () => freeHosts(world) === 1);
    assert.equal(countOf(world, first, 'reinstall'), 1);
    assert.equal(hostOf(world, first)?.spec.budgets.returns, 1);
    assert.ok(isTold(world, 'BootstrapExhausted'));
  });

  it('R21 puts a Mac into quarantine that fails for the third time in a row, where nobody takes it from', async () => {
    const world = startWorld({ seed: 13, macs: 3 }, 1);
    await runUntil(world, 'claimed', () => world.operator.list(MACHINES)[0]?.status?.serverID !== undefined);
    const bad = world.operator.list(MACHINES)[0]?.status?.serverID ?? '';
    world.macs.mac(bad).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
    world.operator.merge(MAC_HOSTS, bad, { spec: { budgets: { returns: 2 } } });
    await runUntil(world, 'quarantined', () => hostOf(world, bad)?.status?.state === 'quarantined');
    assert.match(world.cloud.server(bad)?.name ?? '', /^tuist-quarantine-0a1b2c3d-/);
    assert.equal(hostOf(world, bad)?.spec.quarantine?.reason, 'BootstrapExhausted');
    await runUntil(world, 'ready on another', () => readyMachines(world) === 1);
    await pass(world, 60_000);
    assert.match(
      waitsFor(world, bad),
      /^Quarantined: in quarantine: went back 3 times .*BootstrapExhausted; .*macfleet release/,
    );
    const release = { intentID: 'by-hand', reason: 'Repaired' };
    world.operator.merge(MAC_HOSTS, bad, { spec: { release } });
    await runUntil(world, 'free again', () => hostOf(world, bad)?.status?.state === 'free');
    assert.equal(hostOf(world, bad)?.spec.budgets.returns, 0);
  });

  /** One Mac, installed without the fleet's key, which has been known since then. */
  const startWithout = (seed: number, knownSince: () => number) => {
    const adjust = (ports: ProviderPorts): ProviderPorts => ({
      ...ports,
      fleetKeys: { ...ports.fleetKeys, knownSince: async () => knownSince() },
    });
    const world = startWorld({ seed, macs: 1, adjust });
    const id = world.cloud.servers()[0]?.id ?? '';
    world.macs.mac(id).forgetKey();
    return { world, id };
  };

  it('001-4 R21 a Mac that was installed before the key of its fleet was known is wiped, and not to blame', async () => {
    const { world, id } = startWithout(26, () => 0);
    await runUntil(world, 'on record', () => hostOf(world, id) !== undefined);
    world.operator.merge(MAC_HOSTS, id, { spec: { budgets: { returns: 2 } } });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(countOf(world, id, 'reinstall'), 1);
    assert.equal(hostOf(world, id)?.spec.budgets.returns, 2, 'neither more nor less than before');
  });

  it('001-4 R21 one that does not know it after a wipe either is to blame', async () => {
    const { world, id } = startWithout(27, () => 0);
    await runUntil(world, 'wiped', () => world.cloud.server(id)?.wipes === 1);
    await runUntil(world, 'claimed again', () => hostOf(world, id)?.status?.state === 'claimed');
    world.macs.mac(id).forgetKey();
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(countOf(world, id, 'reinstall'), 2);
    assert.equal(hostOf(world, id)?.spec.budgets.returns, 1);
  });

  it('R19 R22 replaces the Machine of a Mac that was deleted at Scaleway, and forgets the Mac', async () => {
    const world = startWorld({ seed: 14, macs: 2 }, 1);
    const lost = await adopted(world);
    const before = world.operator.list(CORE_MACHINES)[0]?.metadata.uid;
    const machine = () => world.operator.list(MACHINES).find(({ status }) => status?.serverID === lost);
    const { name = '' } = machine()?.metadata ?? {};
    world.cloud.deleteServer(lost);
    await runUntil(world, 'given up', () => machine()?.status?.phase === 'Failed');
    const { ready, initialization, conditions } = machine()?.status ?? {};
    // With Ready False this is what macfleet_machines_unready counts; provisioned never goes back.
    assert.deepEqual([ready, initialization?.provisioned], [false, true]);
    for (const type of ['Ready', 'Provisioned']) {
      const told = conditions?.find((condition) => condition.type === type);
      assert.deepEqual([type, told?.status, told?.reason], [type, 'False', 'HostReleased']);
      assert.match(told?.message ?? '', /The Mac is gone: its server was deleted at Scaleway/);
    }
    await runUntil(world, 'another Machine, ready', () => {
      const [machine, ...others] = world.operator.list(CORE_MACHINES);
      return others.length === 0 && machine?.metadata.uid !== before && readyMachines(world) === 1;
    });
    await runUntil(world, 'forgotten', () => hostOf(world, lost) === undefined);
    const told = world.operator.list(EVENTS).filter(({ reason }) => reason === 'HostReleased');
    assert.deepEqual(
      told.map(({ involvedObject, count }) => [involvedObject.name, count]),
      [[name, 1]],
    );
  });

  it('R15 holds a Mac whose machine vanished, wipes nothing, and takes it back when a person releases it', async () => {
    const world = startWorld({ seed: 15, macs: 1 });
    const id = await adopted(world);
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { paused: true, replicas: 0 } });
    world.operator.merge(CLUSTER_API_RESOURCES.clusters, 'demo', { spec: { paused: true } });
    await pass(world, 60_000);
    world.operator.remove(MACHINES, name);
    world.operator.merge(MACHINES, name, { metadata: { finalizers: [] } });
    await runUntil(world, 'held', () => hostOf(world, id)?.status?.state === 'held');
    await pass(world, 3_600_000);
    assert.equal(hostOf(world, id)?.spec.hold?.reason, 'OwnerVanished');
    assert.ok(isTold(world, 'OwnerVanished'));
    assert.equal(countOf(world, id, 'reinstall'), 0);
    assert.match(waitsFor(world, id), /^OwnerVanished: held: the machine .* is gone .*macfleet release/);
    world.operator.merge(MAC_HOSTS, id, { spec: { release: { intentID: 'by-hand', reason: 'NotNeeded' } } });
    await runUntil(world, 'free again', () => freeHosts(world) === 1);
    assert.equal(countOf(world, id, 'reinstall'), 1);
  });

  it('004-8 gives back the Mac of a machine that vanished alone, where an operator opted in, and no two that went together', async () => {
    const world = startWorld({ seed: 48, macs: 3, adjust: optedIn }, 3);
    await runUntil(world, 'all ready', () => readyMachines(world) === 3);
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { paused: true, replicas: 0 } });
    world.operator.merge(CLUSTER_API_RESOURCES.clusters, 'demo', { spec: { paused: true } });
    const [held, wipes] = [() => heldIn(world), () => wipesOf(world)];
    await pass(world, 60_000);
    lose(world);
    lose(world);
    await runUntil(world, 'both are held', () => held() === 2);
    world.operator.merge(CLUSTER_API_RESOURCES.clusters, 'demo', { spec: { paused: false } });
    await pass(world, 3_660_000);
    assert.deepEqual([held(), wipes()], [2, 0]);
    lose(world);
    await runUntil(world, 'all are held', () => held() === 3);
    await pass(world, 600_000);
    assert.equal(wipes(), 0);
    await runUntil(world, 'the third is wiped', () => wipes() === 1);
    assert.deepEqual([held(), wipes()], [2, 1]);
    assert.ok(isTold(world, 'Reclaimed'));
  });

  it('004-8 R17 gives back no Mac while the Cluster of its vanished machine is paused, and it when that goes on', async () => {
    const world = startWorld({ seed: 49, macs: 1, adjust: optedIn });
    await adopted(world);
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { paused: true, replicas: 0 } });
    world.operator.merge(CLUSTER_API_RESOURCES.clusters, 'demo', { spec: { paused: true } });
    await pass(world, 60_000);
    lose(world);
    await pass(world, 3_600_000);
    assert.deepEqual([heldIn(world), wipesOf(world)], [1, 0]);
    world.operator.merge(CLUSTER_API_RESOURCES.clusters, 'demo', { spec: { paused: false } });
    await runUntil(world, 'free again', () => freeHosts(world) === 1);
    assert.equal(wipesOf(world), 1);
  });

  it('004-8 gives back none that loses its machine half an hour after one that is back in the pool, also after a restart', async () => {
    const world = startWorld({ seed: 50, macs: 2, adjust: optedIn });
    await runUntil(world, 'all ready', () => readyMachines(world) === 2);
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { paused: true, replicas: 0 } });
    await pass(world, 60_000);
    lose(world);
    await runUntil(world, 'the first is free again', () => freeHosts(world) === 1);
    world.kernel.restart('manager', 1_000);
    lose(world);
    await runUntil(world, 'the second is held', () => heldIn(world) === 1);
    await pass(world, 5 * 3_600_000);
    assert.deepEqual([heldIn(world), wipesOf(world)], [1, 1]);
  });

  it('R16 the recipe to detach a machine leaves its Mac held, and nothing is wiped', async () => {
    const world = startWorld({ seed: 16, macs: 1 });
    const id = await adopted(world);
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await pass(world, 30_000);
    world.operator.mergeStatus(MACHINES, name, { status: { serverID: null } });
    world.operator.merge(MACHINES, name, { spec: { providerID: null } });
    await runUntil(world, 'held', () => hostOf(world, id)?.spec.hold?.reason === 'Detached');
    await runUntil(world, 'told', () => isTold(world, 'Detached'));
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: 0 } });
    await runUntil(world, 'the machine is gone', () => world.operator.list(MACHINES).length === 0);
    await pass(world, 3_600_000);
    assert.equal(hostOf(world, id)?.status?.state, 'held');
    assert.equal(countOf(world, id, 'reinstall'), 0);
  });

  it('R16 the same recipe while the manager is away: held as detached, so that no opt-in ever wipes it', async () => {
    const world = startWorld({ seed: 16, macs: 1, adjust: optedIn });
    const id = await adopted(world);
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.kernel.restart('manager', 60_000);
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: 0, paused: true } });
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    world.operator.mergeStatus(MACHINES, name, { status: { serverID: '' } });
    world.operator.merge(MACHINES, name, { spec: { providerID: null } });
    world.operator.remove(MACHINES, name);
    await runUntil(world, 'the machine is gone', () => world.operator.list(MACHINES).length === 0);
    await pass(world, 3_600_000);
    assert.equal(hostOf(world, id)?.spec.hold?.reason, 'Detached');
    assert.equal(countOf(world, id, 'reinstall'), 0);
  });

  it('R16 a machine that lost its note of its Mac while it was not paused gets it back', async () => {
    const world = startWorld({ seed: 17, macs: 1 });
    const id = await adopted(world);
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.mergeStatus(MACHINES, name, { status: { serverID: null } });
    await runUntil(world, 'mirrored', () => world.operator.list(MACHINES)[0]?.status?.serverID === id);
    assert.equal(hostOf(world, id)?.spec.hold, undefined);
  });

  it('a Mac that was held after it was chosen is not claimed', async () => {
    const world = startWorld({ seed: 23, macs: 1 }, 0);
    await runUntil(world, 'on record', () => freeHosts(world) === 1);
    const id = world.cloud.servers()[0]?.id ?? '';
    world.operator.merge(MAC_HOSTS, id, { spec: { hold: { reason: 'Investigating' } } });
    scale(world, 1);
    await runUntil(world, 'a machine', () => world.operator.list(MACHINES)[0]?.status?.phase === 'Pending');
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.mergeStatus(MACHINES, name, { status: { serverID: id } });
    await runUntil(world, 'let go', () => !world.operator.list(MACHINES)[0]?.status?.serverID);
    assert.equal(hostOf(world, id)?.spec.claimRef, undefined);
  });

  it('R18 a namespace that is deleted with all in it wipes nothing', async () => {
    const world = startWorld({ seed: 18, macs: 1, namespace: 'ci' });
    const id = await adopted(world);
    world.operator.remove(NAMESPACES, 'ci');
    await runUntil(world, 'the machine is gone', () => world.operator.list(MACHINES).length === 0);
    await pass(world, 3_600_000);
    assert.equal(hostOf(world, id)?.spec.hold?.reason, 'NamespaceTerminating');
    assert.equal(countOf(world, id, 'reinstall'), 0);
  });

  it('R18 nor does the deletion of the kind itself', async () => {
    const world = startWorld({ seed: 21, macs: 1 });
    const id = await adopted(world);
    world.operator.remove(CUSTOM_RESOURCE_DEFINITIONS, `${MACHINES.plural}.${MACHINES.group}`);
    // Without the kind nothing can be checked that lists it.
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 3_600_000 });
    assert.equal(hostOf(world, id)?.spec.hold?.reason, 'NamespaceTerminating');
    assert.equal(countOf(world, id, 'reinstall'), 0);
  });

  it('002-3 T-25 ends the rent of a Mac whose machine says so, as soon as the lease allows, and forgets it', async () => {
    const world = startWorld({ seed: 19, macs: 1 });
    const id = await adopted(world);
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'tuist.dev/release-policy': 'terminate' } } });
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: 0 } });
    await runUntil(world, 'scheduled', () => world.cloud.server(id)?.isDeletionScheduled === true);
    assert.equal(world.operator.list(MACHINES).length, 0);
    assert.equal(world.macs.mac(id).view().agent, undefined, 'until then its agent runs no more');
    // What Scaleway does when the lease is over, a day later.
    world.cloud.deleteServer(id);
    await runUntil(world, 'forgotten', () => hostOf(world, id) === undefined);
    assert.equal(countOf(world, id, 'reinstall'), 0);
  });

  it('F22 asks seldom for the wipe of a Mac that Scaleway does not install any more, and says so', async () => {
    const world = startWorld({ seed: 28, macs: 1 });
    const id = await adopted(world);
    world.cloud.switchOn('F22', { serverId: id });
    world.operator.merge(CLUSTER_API_RESOURCES.machineDeployments, 'macos', { spec: { replicas: 0 } });
    await runUntil(world, 'refused', () => countOf(world, id, 'reinstall') > 0);
    await pass(world, 3_600_000);
    assert.ok(countOf(world, id, 'reinstall') <= 24, `${countOf(world, id, 'reinstall')} requests within an hour`);
    const [ready] = hostOf(world, id)?.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
    assert.equal(ready?.reason, 'WipeRefused');
    assert.match(ready?.message ?? '', /release it with the policy terminate/);
    assert.ok(isTold(world, 'ReleaseFailed'));
  });

  it('R13 a Mac gets its name although every record of a rename is too old by the next pass', async () => {
    const adjust = (ports: ProviderPorts): ProviderPorts => {
      const times = { ...ports.settings.times, recordMaxAgeMs: 0 };
      return { ...ports, settings: { ...ports.settings, times } };
    };
    await adopted(startWorld({ seed: 25, macs: 1, adjust }));
  });

  it('002-1 T-60 a server that is gone before its rent could be ended is done with', async () => {
    const world = startWorld({ seed: 33, macs: 1 });
    const id = await adopted(world);
    const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'tuist.dev/release-policy': 'terminate' } } });
    scale(world, 0);
    await runUntil(world, 'on its way', () => hostOf(world, id)?.status?.state === 'terminating');
    world.cloud.switchOn('F11', { serverId: id });
    await runUntil(world, 'forgotten', () => hostOf(world, id) === undefined);
    assert.deepEqual(world.operator.list(MACHINES), []);
  });

  it('000-7 T-41 a reboot of a server that is busy with something else counts as done', async () => {
    const world = startWorld({ seed: 24, macs: 1 });
    const id = await adopted(world);
    world.cloud.switchOn('F09b', { serverId: id });
    world.operator.merge(MAC_HOSTS, id, { spec: { rebootRequest: { id: 'r-1' } } });
    await runUntil(world, 'sent', () => countOf(world, id, 'reboot') === 1);
    world.cloud.switchOff('F09b', { serverId: id });
    await pass(world, 900_000);
    assert.equal(countOf(world, id, 'reboot'), 1);
    assert.equal(hostOf(world, id)?.status?.state, 'joined');
  });

  it('R24 reboots a Mac once when a person asks', async () => {
    const world = startWorld({ seed: 20, macs: 1 });
    const id = await adopted(world);
    world.operator.merge(MAC_HOSTS, id, { spec: { rebootRequest: { id: 'r-1', by: 'ann' } } });
    await runUntil(world, 'rebooted', () => countOf(world, id, 'reboot') === 1);
    await pass(world, 3_600_000);
    assert.equal(countOf(world, id, 'reboot'), 1);
    assert.equal(hostOf(world, id)?.spec.rebootRequest, undefined);
  });

  it('S12 R11 survives its manager being killed before and after any effect of a reboot and a return', async () => {
    const plan = {
      actor: 'manager',
      restartAfterMs: 5_000,
      kinds: ['before-effect', 'after-effect'] as const,
      every: EVERY,
    };
    const points = await forEachCrashPoint(plan, async (crash) => {
      const world = startWorld({ seed: 22, macs: 2, ...(crash === undefined ? {} : { crash }) }, 1);
      for (const { id } of world.cloud.servers().slice(0, 1)) {
        world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
      }
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      await runUntil(world, 'the other one free', () => freeHosts(world) === 1);
      for (const { id } of world.cloud.servers()) assert.ok(countOf(world, id, 'reboot') <= 1);
      return world.kernel;
    });
    assert.ok(points > 2, `${points} points`);
  });
});
