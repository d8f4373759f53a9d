/** Macs that are rented by order (R25), on the virtual clock: never two for one intent, whatever is lost or dies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../base/errors.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import type { ProviderPorts } from '../provider/create-manager.ts';
import { forEachCrashPoint } from '../sim/kernel/crash-points.ts';
import { renderDemo } from './demo-fleet.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from './fleet-world.ts';
import { pass, readyMachines, runUntil, scale } from './testing/fleet-run.ts';

const within =
  (maxHosts: number, maxPerDay = maxHosts, namespaces: readonly (readonly [string, number])[] = []) =>
  (ports: ProviderPorts): ProviderPorts => ({
    ...ports,
    settings: { ...ports.settings, orders: { maxHosts, maxPerDay, namespaces: new Map(namespaces) } },
  });

/** A fleet whose template says that Macs are rented. */
const startRenting = (options: Omit<FleetWorldOptions, 'macs'>, wanted: number, spec: object = {}): FleetWorld => {
  const world = createFleetWorld({ ...options, macs: 0 });
  for (const { resource, object } of renderDemo(wanted)) {
    const isTemplate = resource.kind.endsWith('Template');
    const template = { spec: { fleetName: 'macos', acquire: 'order', ...spec } };
    world.operator.apply({ resource, object: isTemplate ? { ...object, ...{ spec: { template } } } : object });
  }
  return world;
};

const ordersOf = ({ cloud }: FleetWorld) => cloud.audit().filter(({ verb }) => verb === 'order');
const acceptedOf = (world: FleetWorld): number =>
  ordersOf(world).filter(({ outcome }) => outcome === 'accepted').length;

const reasonOf = ({ status }: ScalewayAppleSiliconMachine): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Provisioned')?.reason;

const intentsOf = ({ operator }: FleetWorld) =>
  operator.list(MAC_HOSTS).filter(({ spec }) => spec.source.scaleway?.serverID === undefined);

/** Scaleway does not say until when it is paid for. */
const withoutLease = (cloud: ProviderPorts['cloud']): ProviderPorts['cloud'] => ({
  ...cloud,
  getServer: async (server, signal) => ({ ...(await cloud.getServer(server, signal)), deletableAtMs: undefined }),
});

const isNamed =
  (name: string) =>
  ({ metadata }: ScalewayAppleSiliconMachine): boolean =>
    metadata.name === name;

/** As in fleet-world.test.ts: MACFLEET_CRASH_POINTS=all tries every point, which takes long. */
const EVERY = process.env['MACFLEET_CRASH_POINTS'] === 'all' ? 1 : 60;

describe('a machine that wants a Mac to be rented', () => {
  it('R25 gets one, as a Node; and its rent ends with the machine, as soon as the lease allows', async () => {
    const world = startRenting({ seed: 41, adjust: within(1) }, 1);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const [host] = world.operator.list(MAC_HOSTS);
    assert.equal(host?.spec.ordered, true);
    assert.equal(acceptedOf(world), 1);
    const name = world.operator.list(MACHINES)[0]?.metadata.name;
    assert.equal(world.cloud.server(host?.metadata.name ?? '')?.name, name);
    scale(world, 0);
    const id = host?.metadata.name ?? '';
    await runUntil(world, 'scheduled', () => world.cloud.server(id)?.isDeletionScheduled === true);
    assert.equal(world.operator.list(MACHINES).length, 0);
    assert.equal(world.cloud.server(id)?.wipes, 0);
    // What Scaleway does when the lease is over, a day later.
    world.cloud.deleteServer(id);
    await runUntil(world, 'forgotten', () => world.operator.list(MAC_HOSTS).length === 0);
  });

  for (const isAway of [false, true]) {
    it(`R16 is taken off its Mac by hand${isAway ? ' while the manager is away' : ''}, and the rent goes on`, async () => {
      const world = startRenting({ seed: 43, adjust: within(1) }, 1);
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      const name = world.operator.list(MACHINES)[0]?.metadata.name ?? '';
      const { machineDeployments } = CLUSTER_API_RESOURCES;
      if (isAway) world.kernel.restart('manager', 60_000);
      world.operator.merge(machineDeployments, 'macos', { spec: { replicas: 0, paused: true } });
      world.operator.merge(MACHINES, name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
      world.operator.mergeStatus(MACHINES, name, { status: { serverID: '' } });
      world.operator.merge(MACHINES, name, { spec: { providerID: null } });
      if (!isAway) await pass(world, 30_000);
      world.operator.remove(MACHINES, name);
      await runUntil(world, 'the machine is gone', () => !world.operator.list(MACHINES).some(isNamed(name)));
      await pass(world, 3_600_000);
      const [host] = world.operator.list(MAC_HOSTS);
      assert.deepEqual([host?.spec.hold?.reason, host?.spec.release], ['Detached', undefined]);
    });
  }

  it('R25 gets none, and is told so, while nothing may be rented', async () => {
    const world = startRenting({ seed: 42 }, 1);
    await runUntil(world, 'told', () => world.operator.list(MACHINES).some((m) => reasonOf(m) === 'OrderLimitReached'));
    await pass(world, 900_000);
    assert.deepEqual([ordersOf(world).length, intentsOf(world).length], [0, 0]);
  });

  it('R25 waits when others have all that may be rented, and gets its turn', async () => {
    const world = startRenting({ seed: 43, adjust: within(1, 9) }, 2);
    await runUntil(world, 'one ready', () => readyMachines(world) === 1);
    await pass(world, 900_000);
    assert.equal(acceptedOf(world), 1);
    assert.ok(world.operator.list(MACHINES).some((machine) => reasonOf(machine) === 'OrderLimitReached'));
    const [rented] = world.operator.list(MAC_HOSTS).filter(({ spec }) => spec.ordered);
    world.cloud.deleteServer(rented?.metadata.name ?? '');
    await runUntil(world, 'the other one ready', () => acceptedOf(world) === 2 && readyMachines(world) === 1);
  });

  it('R25 no more are ordered than a day allows, nor than its namespace may have', async () => {
    for (const adjust of [within(9, 1), within(9, 9, [['default', 1]])]) {
      const world = startRenting({ seed: 44, adjust }, 3);
      await runUntil(world, 'one ready', () => readyMachines(world) === 1);
      await pass(world, 900_000);
      assert.equal(acceptedOf(world), 1);
    }
    const world = startRenting({ seed: 44, adjust: within(9, 9, [['elsewhere', 1]]) }, 1);
    await pass(world, 600_000);
    assert.equal(ordersOf(world).length, 0);
  });

  it('R25 one whose answer is lost is found again by its name', async () => {
    const world = startRenting({ seed: 45, adjust: within(3) }, 1);
    world.cloud.switchOn('lost', { verb: 'order', when: 'after', count: 1 });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(acceptedOf(world), 1);
  });

  it('R25 one that never reached Scaleway is given up, and a new intent takes its place', async () => {
    const world = startRenting({ seed: 50, adjust: within(1) }, 1);
    world.cloud.switchOn('lost', { verb: 'order', when: 'before', count: 1 });
    await runUntil(world, 'an intent', () => intentsOf(world).length === 1);
    const first = intentsOf(world)[0]?.spec.order?.intentID;
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(acceptedOf(world), 1);
    assert.notEqual(world.operator.list(MAC_HOSTS)[0]?.spec.order?.intentID, first);
  });

  it('F27 is told that there is none in stock, and gets one when there is', async () => {
    const world = startRenting({ seed: 51, adjust: within(1) }, 1);
    world.cloud.switchOn('F27');
    await runUntil(world, 'told', () => intentsOf(world).some(({ spec }) => (spec.order?.refusals ?? 0) > 1));
    assert.match(world.operator.list(MACHINES)[0]?.status?.conditions?.[0]?.message ?? '', /refused|stock/);
    world.cloud.switchOff('F27');
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(acceptedOf(world), 1);
  });

  for (const shape of ['F06', 'F07'] as const) {
    it(`002-1 I-11 ${shape} a refusal to delete it before its lease is over becomes a deletion on schedule`, async () => {
      const silent = (ports: ProviderPorts): ProviderPorts => ({ ...ports, cloud: withoutLease(ports.cloud) });
      const world = startRenting({ seed: 52, adjust: (ports) => silent(within(1)(ports)) }, 1);
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      world.cloud.switchOn(shape, { verb: 'terminate', count: 1 });
      scale(world, 0);
      await runUntil(world, 'scheduled', () => world.cloud.servers()[0]?.isDeletionScheduled === true);
    });
  }

  it('is deleted while its Mac is on order, and the answer lost: the Mac is given up as soon as the lease allows', async () => {
    const world = startRenting({ seed: 46, adjust: within(1) }, 1);
    world.cloud.switchOn('lost', { verb: 'order', when: 'after', count: 1 });
    world.cloud.switchOn('F15');
    await runUntil(world, 'ordered', () => acceptedOf(world) === 1);
    scale(world, 0);
    await runUntil(world, 'no machine', () => world.operator.list(MACHINES).length === 0);
    assert.equal(intentsOf(world).length, 1);
    await runUntil(world, 'given up', () => world.cloud.servers().every((server) => server.isDeletionScheduled));
    assert.equal(acceptedOf(world), 1);
  });

  it('R25 an order that cannot be prepared was certainly not sent: it is tried again, in a while', async () => {
    let failures = 1;
    const adjust = (ports: ProviderPorts): ProviderPorts => {
      const privateKeyOf: typeof ports.fleetKeys.privateKeyOf = (fleet, signal) => {
        failures -= 1;
        const error = new FleetError('unavailable', { code: 'NoKey', message: 'no key' });
        return failures >= 0 ? Promise.reject(error) : ports.fleetKeys.privateKeyOf(fleet, signal);
      };
      return { ...within(1)(ports), fleetKeys: { ...ports.fleetKeys, privateKeyOf } };
    };
    const world = startRenting({ seed: 53, adjust }, 1);
    await runUntil(world, 'told', () => intentsOf(world).some(({ spec }) => spec.order?.refusals === 1));
    assert.equal(intentsOf(world)[0]?.spec.lastWrite, undefined);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(ordersOf(world).length, 1);
  });

  it('names a type that there is not: nothing is ordered, and it goes on when the type is right', async () => {
    const world = startRenting({ seed: 47, adjust: within(1) }, 1, { type: 'M9-XXL' });
    await runUntil(world, 'told', () => world.operator.list(MACHINES).some((m) => reasonOf(m) === 'UnknownServerType'));
    assert.equal(ordersOf(world).length, 0);
    world.operator.merge(MACHINES, world.operator.list(MACHINES)[0]?.metadata.name ?? '', { spec: { type: 'M2-L' } });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    assert.equal(acceptedOf(world), 1);
  });

  it('R21 a rented Mac that keeps failing is given up, and another one rented', async () => {
    const world = startRenting({ seed: 48, adjust: within(2) }, 1);
    await runUntil(world, 'ordered', () => acceptedOf(world) === 1);
    const bad = world.cloud.servers()[0]?.id ?? '';
    world.macs.mac(bad).addStepFault({ step: 'tart', kind: 'exit', times: 8, output: 'no space' });
    await runUntil(world, 'ready on another', () => readyMachines(world) === 1 && acceptedOf(world) === 2);
    await runUntil(world, 'given up', () => world.cloud.server(bad)?.isDeletionScheduled === true);
  });

  it('R25 never gets a second one for one intent, when its manager is killed before and after any effect', async () => {
    const plan = {
      actor: 'manager',
      restartAfterMs: 5_000,
      kinds: ['before-effect', 'after-effect'] as const,
      every: EVERY,
    };
    const points = await forEachCrashPoint(plan, async (crash) => {
      const world = startRenting({ seed: 49, adjust: within(1, 9), ...(crash === undefined ? {} : { crash }) }, 1);
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      assert.equal(acceptedOf(world), 1);
      scale(world, 0);
      await runUntil(world, 'given up', () => world.cloud.servers().every((server) => server.isDeletionScheduled));
      return world.kernel;
    });
    assert.ok(points > 2, `${points} points`);
  });
});
