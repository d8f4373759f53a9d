import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { NODES } from '../kube/types/core.ts';
import type { Condition } from '../kube/types/meta.ts';
import { type FleetPace, FOLDED_PACE, TRUE_PACE } from './fleet-pace.ts';
import type { FleetWorld } from './fleet-world.ts';
import { isTold, pass, readyMachines, runUntil, startWorld } from './testing/fleet-run.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Told = { readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined };

const find = ({ status }: Told, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

const reasonsOf = ({ operator }: FleetWorld): readonly (string | undefined)[] =>
  operator.list(MAC_HOSTS).map((host) => find(host, 'Ready')?.reason);

const verbsOf = ({ cloud }: FleetWorld): readonly string[] =>
  cloud
    .audit()
    .map(({ verb }) => verb)
    .filter((verb) => verb !== 'rename');

const isAllReady = ({ operator }: FleetWorld, macs: number): boolean => {
  const told = [...operator.list(MACHINES), ...operator.list(MAC_HOSTS)];
  return told.length === 2 * macs && told.every((one) => find(one, 'Ready')?.status === 'True');
};

/** It is there, and does nothing any more. */
const hang = ({ kernel }: FleetWorld, agent: string): void => kernel.restart(agent, 0);

/** Macs of the fleet, the names of their agents, and one of the Macs. */
const startReady = async (seed: number, macs: number, pace: FleetPace = TRUE_PACE) => {
  const world = startWorld({ seed, macs, pace });
  await runUntil(world, 'ready', () => readyMachines(world) === macs && isAllReady(world, macs));
  await pass(world, 5 * MINUTE_MS);
  const agents = world.operator.list(NODES).map(({ metadata, spec }) => `node ${metadata.name} ${spec?.providerID}`);
  return { world, agents, mac: world.macs.mac(world.cloud.servers()[0]?.id ?? '') };
};

describe('a Mac whose Node is not ready, on the virtual clock', () => {
  it('W-13 is told on the MacHost, on the machine and as an event, long before its identity ends', async () => {
    const { world, agents, mac } = await startReady(5, 1);
    mac.ban();
    for (const agent of agents) hang(world, agent);
    await pass(world, 4 * MINUTE_MS);
    assert.ok(isAllReady(world, 1), 'for a moment nothing is said');
    await pass(world, 3 * MINUTE_MS);
    const [host, machine] = [world.operator.list(MAC_HOSTS)[0], world.operator.list(MACHINES)[0]];
    assert.equal(host && find(host, 'Ready')?.status, 'False');
    assert.notEqual(host && find(host, 'Ready')?.message, '');
    assert.equal(machine && find(machine, 'Ready')?.status, 'False');
    assert.notEqual(machine && find(machine, 'Provisioned')?.message, '', 'what it waits for, in the table');
    assert.equal(machine?.status?.phase, 'Bootstrapping');
    assert.equal(machine?.status?.initialization?.provisioned, true);
    assert.ok(isTold(world, 'NodeNotReady'));
  });

  it('W-13 is well again when its agent is, and nothing was asked of Scaleway for it', async () => {
    const { world, agents } = await startReady(6, 1);
    for (const agent of agents) world.kernel.pause(agent, 8 * MINUTE_MS);
    await pass(world, 7 * MINUTE_MS);
    assert.ok(!isAllReady(world, 1));
    await pass(world, 5 * MINUTE_MS);
    assert.ok(isAllReady(world, 1));
    const [host] = world.operator.list(MAC_HOSTS);
    assert.equal(host?.spec.budgets.bootstrap.failures, 0);
    assert.equal(world.operator.list(MACHINES)[0]?.status?.phase, 'Ready');
    assert.deepEqual(verbsOf(world), []);
  });

  it('W-13 W-12 has an agent that ended started again, with the first look at the Mac and nothing else', async () => {
    const { world, mac } = await startReady(10, 1);
    const { agent: _, ...before } = mac.view().applies;
    mac.endAgent();
    await runUntil(world, 'silent', () => !isAllReady(world, 1));
    await runUntil(world, 'ready again', () => isAllReady(world, 1));
    const { agent: __, ...after } = mac.view().applies;
    assert.deepEqual(after, before, 'neither a new identity nor anything else');
    assert.equal(world.operator.list(MAC_HOSTS)[0]?.spec.budgets.bootstrap.failures, 0);
    assert.deepEqual(verbsOf(world), []);
  });

  it('W-13 has an agent that hangs started again, without a reboot', async () => {
    const { world, agents } = await startReady(7, 1);
    for (const agent of agents) hang(world, agent);
    await runUntil(world, 'silent', () => !isAllReady(world, 1));
    await runUntil(world, 'ready again', () => isAllReady(world, 1));
    assert.deepEqual(verbsOf(world), []);
  });

  it('W-13 R22 is rebooted once when it does not answer, and keeps its machine and its disk', async () => {
    const { world, agents, mac } = await startReady(8, 1);
    const uid = world.operator.list(MACHINES)[0]?.metadata.uid;
    mac.ban();
    for (const agent of agents) hang(world, agent);
    await runUntil(world, 'silent', () => !isAllReady(world, 1));
    await runUntil(world, 'ready again', () => isAllReady(world, 1));
    assert.deepEqual(verbsOf(world), ['reboot']);
    assert.equal(world.operator.list(MACHINES)[0]?.metadata.uid, uid);
  });

  it('R21 is neither rebooted nor replaced where all the others are silent too: that is not the Macs', async () => {
    const { world, agents } = await startReady(9, 3, FOLDED_PACE);
    for (const agent of agents) world.kernel.pause(agent, 4 * HOUR_MS);
    await pass(world, 3 * HOUR_MS);
    const failures = world.operator.list(MAC_HOSTS).map(({ spec }) => spec.budgets.bootstrap.failures);
    assert.ok(Math.min(...failures) > 8, `${failures} attempts, which go on`);
    assert.deepEqual(verbsOf(world), []);
    assert.deepEqual(reasonsOf(world), ['RecoveryHalted', 'RecoveryHalted', 'RecoveryHalted']);
    await pass(world, HOUR_MS);
    await runUntil(world, 'all ready again', () => isAllReady(world, 3));
    assert.deepEqual(verbsOf(world), []);
  });
});
