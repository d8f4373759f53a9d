/** What docs/compatibility.md says is different from the Go original, shown on a simulated fleet: one story per row. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLUSTERS } from '../src/kinds/cluster.ts';
import { MAC_HOSTS, type MacHost } from '../src/kinds/mac-host.ts';
import { MACHINES } from '../src/kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../src/kube/types/cluster-api.ts';
import { hostStateOf } from '../src/provider/host/host-life.ts';
import { planHost } from '../src/provider/host/plan-host.ts';
import { CLAIMED, RELEASE, RELEASING, serverOf, specOf, viewOf, wrote } from '../src/provider/host/testing/views.ts';
import type { FleetWorld } from '../src/world/fleet-world.ts';
import {
  BOUNDS,
  checkOf,
  freeHosts,
  isTold,
  readyMachines,
  runUntil,
  scale,
  startWorld,
} from '../src/world/testing/fleet-run.ts';

const hostOf = ({ operator }: FleetWorld, id: string): MacHost | undefined =>
  operator.list(MAC_HOSTS).find(({ metadata }) => metadata.name === id);

/** What reached a server and was done: verbs and new names, with the ids taken out. */
const doneTo = ({ cloud }: FleetWorld, id: string): readonly string[] =>
  cloud
    .audit()
    .filter(({ serverId, outcome }) => serverId === id && outcome === 'accepted')
    .map(({ verb, argument }) => (verb === 'rename' ? argument.replace(/-[0-9a-f-]{36}$/, '') : verb));

const start = async (seed: number) => {
  const world = startWorld({ seed, macs: 1 });
  await runUntil(world, 'ready', () => readyMachines(world) === 1);
  const [machine] = world.operator.list(MACHINES);
  return { world, id: machine?.status?.serverID ?? '', name: machine?.metadata.name ?? '' };
};

const pass = async (world: FleetWorld, ms: number): Promise<void> => {
  await world.kernel.run({ ...BOUNDS, maxVirtualMs: ms, check: checkOf(world) });
};

describe('different from the Go original', () => {
  it('T-21 a deleted machine is gone before its Mac is wiped, and the pool name comes last', async () => {
    const { world, id, name } = await start(41);
    scale(world, 0);
    await runUntil(world, 'the machine is gone', () => world.operator.list(MACHINES).length === 0);
    assert.ok(!doneTo(world, id).includes('reinstall'));
    await runUntil(world, 'free', () => freeHosts(world) === 1);
    const taken = ['tuist-claim-pending', name];
    assert.deepEqual(doneTo(world, id), [...taken, 'tuist-releasing-0a1b2c3d', 'reinstall', 'tuist-pool']);
  });

  it('002-3 T-24 a policy that nobody knows means the pool', async () => {
    const { world, id, name } = await start(47);
    world.operator.merge(MACHINES, name, { metadata: { annotations: { 'tuist.dev/release-policy': 'someday' } } });
    scale(world, 0);
    await runUntil(world, 'free', () => freeHosts(world) === 1);
    assert.deepEqual(doneTo(world, id).slice(-2), ['reinstall', 'tuist-pool']);
  });

  it('T-22 that a Mac has no pool to go back to is told', async () => {
    const { world, id } = await start(48);
    world.operator.merge(MAC_HOSTS, id, { spec: { pool: null } });
    scale(world, 0);
    await runUntil(world, 'held', () => hostOf(world, id)?.status?.state === 'held');
    await runUntil(world, 'told', () => isTold(world, 'ReleaseSkipped'));
    assert.ok(!doneTo(world, id).includes('reinstall'));
  });

  for (const policy of ['pool', 'terminate'] as const) {
    it(`T-22 T-24 T-25 a Mac without a pool that was not ordered is held, also when asked to ${policy}`, () => {
      const spec = specOf({ pool: undefined, ...CLAIMED, release: { ...RELEASE, policy } });
      assert.equal(hostStateOf(spec, 'there'), 'held');
    });
  }

  it('T-30 a reboot whose answer was lost is not sent again', async () => {
    const world = startWorld({ seed: 42, macs: 1 });
    const id = world.cloud.servers()[0]?.id ?? '';
    world.macs.mac(id).addStepFault({ step: 'tart', kind: 'exit', times: 6, output: 'no space' });
    world.cloud.switchOn('F04');
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const reboots = world.cloud.audit().filter(({ verb }) => verb === 'reboot');
    assert.equal(reboots.length, 1);
  });

  it('T-31 T-33 T-34 a machine has another Mac while the wipe of its first one still fails', async () => {
    const world = startWorld({ seed: 43, macs: 2 }, 1);
    await runUntil(world, 'chosen', () => world.operator.list(MACHINES)[0]?.status?.serverID !== undefined);
    const [machine] = world.operator.list(MACHINES);
    const first = machine?.status?.serverID ?? '';
    world.macs.mac(first).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
    world.cloud.switchOn('F01', { verb: 'reinstall' });
    await runUntil(world, 'ready on another', () => readyMachines(world) === 1);
    const [same] = world.operator.list(MACHINES);
    assert.equal(same?.metadata.uid, machine?.metadata.uid);
    assert.notEqual(same?.status?.serverID, first);
    assert.equal(hostOf(world, first)?.status?.state, 'releasing');
    world.cloud.switchOff('F01', { verb: 'reinstall' });
    await runUntil(world, 'the first is free', () => freeHosts(world) === 1);
  });

  it('T-42 R7 a pending name is held for longer than a look is good for and a request may take, together', async () => {
    const { world, id } = await start(44);
    const [pending, final] = world.cloud.audit().filter(({ serverId, verb }) => serverId === id && verb === 'rename');
    assert.ok((final?.atMs ?? 0) - (pending?.atMs ?? 0) >= 35_000);
  });

  it('T-45 T-62 T-63 T-64 servers that no record and no machine explains are left alone', async () => {
    const { world } = await start(45);
    const names = ['tuist-claim-pending-3f2b8c1e-0d4a-4e57-9b6c-7a1d2e3f4a5b', 'macos-of-somebody'];
    const strays = names.map((name) => world.cloud.addServer({ name }).id);
    await pass(world, 900_000);
    for (const id of strays) {
      assert.deepEqual(doneTo(world, id), []);
      assert.equal(hostOf(world, id), undefined);
    }
  });

  it('T-51 a wipe counts as begun only when the server is seen reinstalling', () => {
    const spec = { ...CLAIMED, assignedName: { current: RELEASING }, release: RELEASE };
    const asked = { ...spec, reinstall: { intentID: RELEASE.intentID, requestedAt: '2026-05-31T23:59:00Z' } };
    const view = { spec: { ...asked, lastWrite: wrote('reinstall', 60_000) } };
    const busy = planHost(viewOf({ ...view, server: serverOf(RELEASING, 'busy') }));
    assert.equal(busy.do, 'wait');
    const ready = planHost(viewOf({ ...view, server: serverOf(RELEASING, 'ready') }));
    assert.ok(ready.do === 'reinstall' && ready.record?.reinstall?.acceptedAt === undefined, 'it is asked for again');
    const wiping = planHost(viewOf({ ...view, server: serverOf(RELEASING, 'reinstalling') }));
    assert.ok(wiping.do === 'store' && wiping.spec.reinstall?.acceptedAt !== undefined);
  });

  it('T-67 the control plane says itself that it is initialized; the cluster shell is provisioned', async () => {
    const { world } = await start(46);
    const [shell] = world.operator.list(CLUSTERS);
    assert.equal(shell?.status?.initialization?.provisioned, true);
    const [cluster] = world.operator.list(CLUSTER_API_RESOURCES.clusters);
    assert.equal(cluster?.status?.initialization?.controlPlaneInitialized, true);
  });
});
