/** Who a Mac is to the cluster, over hours of the virtual clock: by what lies on its disk, and by nothing else (D8, R23). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTimestamp } from '../base/clock.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { renderProviderId } from '../kinds/names.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../kube/types/certificates.ts';
import { LEASES } from '../kube/types/coordination.ts';
import { NODES, SECRETS } from '../kube/types/core.ts';
import { type FleetPace, FOLDED_PACE } from './fleet-pace.ts';
import type { FleetWorld } from './fleet-world.ts';
import { readyMachines, runUntil, startWorld } from './testing/fleet-run.ts';

const HOUR_MS = 3_600_000;
/** Says on the Secret of a token which Mac it is for. */
const TOKEN_HOST = 'macfleet.tuist.dev/host';
/** Heartbeats are folded too. */
const FOLDED_BEAT_MS = (FOLDED_PACE.nodeRenewEveryMs ?? 0) + 60_000;

const nowOf = ({ kernel }: FleetWorld): number => kernel.actor('world').clock.now();

const heartbeatOf = ({ operator }: FleetWorld): number => {
  const lease = operator.list(LEASES).find(({ metadata }) => metadata.namespace === 'kube-node-lease');
  return Date.parse(lease?.spec?.renewTime ?? '') || 0;
};

/** Who asked for certificates, in the order of their requests. */
const askers = ({ operator }: FleetWorld): readonly string[] =>
  operator
    .list(CERTIFICATE_SIGNING_REQUESTS)
    .toSorted((left, right) =>
      (left.metadata.creationTimestamp ?? '') < (right.metadata.creationTimestamp ?? '') ? -1 : 1,
    )
    .map(({ spec }) => (spec.username ?? '').split(':').slice(0, 2).join(':'));

const tokensOf = ({ operator }: FleetWorld) =>
  operator.list(SECRETS).filter(({ type }) => type === 'bootstrap.kubernetes.io/token');

const join = async (seed: number, pace?: FleetPace): Promise<FleetWorld> => {
  const world = startWorld({ seed, macs: 1, ...(pace && { pace }) });
  await runUntil(world, 'ready', () => readyMachines(world) === 1);
  return world;
};

const waitFor = async (world: FleetWorld, ms: number): Promise<void> => {
  const until = nowOf(world) + ms;
  await runUntil(world, 'time passes', () => nowOf(world) >= until);
};

/** Somebody deletes the record of the Mac by force. */
const loseRecord = async (world: FleetWorld): Promise<void> => {
  const { name = '', uid } = world.operator.list(MAC_HOSTS)[0]?.metadata ?? {};
  world.operator.remove(MAC_HOSTS, name);
  world.operator.merge(MAC_HOSTS, name, { metadata: { finalizers: [] } });
  await runUntil(world, 'on record again', () => {
    const [host] = world.operator.list(MAC_HOSTS);
    return host !== undefined && host.metadata.uid !== uid;
  });
};

const identityEndOf = ({ operator }: FleetWorld): number =>
  parseTimestamp(operator.list(MAC_HOSTS)[0]?.spec.identity?.expiresAt) ?? 0;

describe('the identity of a Mac, on the virtual clock', () => {
  it('R23 begins with a token for this Mac alone, which is used once and gone when its quarter of an hour is over', async () => {
    const world = await join(61);
    assert.deepEqual(askers(world), ['system:bootstrap']);
    const [used] = world.operator.list(MAC_HOSTS).map(({ spec }) => spec.identity?.token);
    assert.equal(tokensOf(world)[0]?.metadata.name, `bootstrap-token-${used?.id}`);
    await waitFor(world, 15 * 60_000);
    assert.deepEqual(tokensOf(world), []);
  });

  it('R23 leaves one token of a Mac at most, whatever fails and whoever restarts, and none of one that was given back', async () => {
    const world = startWorld({ seed: 98, macs: 2 }, 1);
    const failing = () => world.operator.list(MAC_HOSTS).find(({ spec }) => spec.budgets.bootstrap.failures > 0);
    for (const { id } of world.cloud.servers())
      world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
    await runUntil(world, 'failed', () => failing() !== undefined);
    const bad = failing()?.metadata.name ?? '';
    let most = 0;
    const tokens = (): number => {
      const ofBad = tokensOf(world).filter(({ metadata }) => metadata.annotations?.[TOKEN_HOST] === bad).length;
      most = Math.max(most, ofBad);
      return ofBad;
    };
    const failures = (): number => {
      tokens();
      return (
        world.operator.list(MAC_HOSTS).find(({ metadata }) => metadata.name === bad)?.spec.budgets.bootstrap.failures ??
        0
      );
    };
    await runUntil(world, 'failed for the third time', () => failures() === 3);
    world.kernel.kill('manager');
    world.kernel.restart('manager', 0);
    await runUntil(world, 'failed after the restart', () => failures() === 5);
    await runUntil(world, 'given back', () => world.cloud.server(bad)?.status === 'reinstalling');
    assert.deepEqual([most, tokens()], [1, 0]);
  });

  it('D8 is renewed by the Mac itself before its hour is over, and the record follows', async () => {
    const world = await join(62);
    await waitFor(world, HOUR_MS + 5 * 60_000);
    assert.ok(nowOf(world) - heartbeatOf(world) < 30_000, 'it is alive');
    assert.ok(askers(world).includes('system:node'));
    const [host] = world.operator.list(MAC_HOSTS);
    assert.ok((parseTimestamp(host?.spec.identity?.expiresAt) ?? 0) > nowOf(world));
    assert.equal(host?.spec.budgets.bootstrap.failures, 0);
  });

  it('survives a reboot, from what is on the disk', async () => {
    const world = await join(63);
    await waitFor(world, 20 * 60_000);
    const [server] = world.cloud.servers();
    assert.ok(server !== undefined);
    world.cloud.as('a person').reboot({ id: server.id, zone: server.zone });
    await waitFor(world, 15 * 60_000);
    assert.ok(nowOf(world) - heartbeatOf(world) < 30_000, 'it is alive');
    assert.deepEqual(tokensOf(world), [], 'and nobody gave it another token');
  });

  it('R23 that was lost because nobody approved for too long comes back by SSH, on the same Mac', async () => {
    const world = await join(64);
    world.kernel.kill('manager');
    await waitFor(world, HOUR_MS + 5 * 60_000);
    assert.ok(nowOf(world) - heartbeatOf(world) > 60_000, 'the Mac is silent');
    world.kernel.restart('manager', 0);
    const sinceMs = nowOf(world);
    await runUntil(world, 'the Mac is back', () => nowOf(world) - heartbeatOf(world) < 20_000);
    assert.ok(nowOf(world) - sinceMs < 10 * 60_000, 'although the Node that it left behind is still there');
    assert.deepEqual(
      world.cloud.servers().map(({ wipes }) => wipes),
      [0],
    );
  });

  it('R23 that ended while its manager went on comes back with the first token that is brought', async () => {
    const world = await join(99, FOLDED_PACE);
    const [machine] = world.operator.list(MACHINES);
    const silentMs = identityEndOf(world) - nowOf(world) - 5_000;
    world.kernel.pause(`node ${machine?.metadata.name} ${machine?.spec.providerID}`, silentMs);
    await waitFor(world, silentMs);
    await runUntil(world, 'the Mac is back', () => identityEndOf(world) > nowOf(world) + 30 * 60_000);
    await runUntil(world, 'joined', () => world.operator.list(MAC_HOSTS)[0]?.status?.state === 'joined');
    assert.equal(world.operator.list(MAC_HOSTS)[0]?.spec.budgets.bootstrap.failures, 0);
  });

  it('R23 of a Mac whose record was lost is on record again, and is renewed without another token', async () => {
    const world = await join(65, FOLDED_PACE);
    await waitFor(world, 10 * 60_000);
    await loseRecord(world);
    assert.ok(identityEndOf(world) > nowOf(world), 'nobody else may be that Node until then');
    await waitFor(world, 10 * 60_000);
    assert.equal(askers(world).filter((asker) => asker === 'system:bootstrap').length, 1, 'it has joined once');
    await waitFor(world, 100 * 60_000);
    assert.ok(nowOf(world) - heartbeatOf(world) < FOLDED_BEAT_MS, 'it is alive');
    assert.ok(identityEndOf(world) > nowOf(world));
    assert.deepEqual([...new Set(askers(world))], ['system:node']);
    assert.equal(readyMachines(world), 1);
  });

  it('R23 of a Mac whose record was lost and that then lost its identity too comes back by SSH', async () => {
    const world = await join(66, FOLDED_PACE);
    await loseRecord(world);
    world.kernel.kill('manager');
    await waitFor(world, 100 * 60_000);
    assert.ok(nowOf(world) - heartbeatOf(world) > 20 * 60_000, 'the Mac is silent');
    world.kernel.restart('manager', 0);
    await runUntil(world, 'the Mac is back', () => nowOf(world) - heartbeatOf(world) < 20_000);
    await waitFor(world, 70 * 60_000);
    assert.ok(nowOf(world) - heartbeatOf(world) < FOLDED_BEAT_MS, 'and stays');
    assert.ok(identityEndOf(world) > nowOf(world));
  });

  it('F79 is its own also where a Node of that name was left by another Mac, and is renewed as such', async () => {
    const world = startWorld({ seed: 97, macs: 1 });
    await runUntil(world, 'a machine', () => world.operator.list(MACHINES).length === 1);
    const [machine] = world.operator.list(MACHINES);
    const providerID = renderProviderId({ zone: 'fr-par-1', serverId: '00000000-0000-4000-8000-000000000079' });
    const metadata = { name: machine?.metadata.name ?? '' };
    world.operator.apply({ resource: NODES, object: { metadata, ...{ spec: { providerID } } } });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const end = identityEndOf(world);
    await runUntil(world, 'renewed', () => identityEndOf(world) > end);
    const ids = world.operator.list(NODES).map(({ spec }) => spec?.providerID);
    assert.deepEqual(ids, [world.operator.list(MACHINES)[0]?.spec.providerID]);
  });
});
