/** Input that is wrong, on the virtual clock: told with what to do, without an effect on any Mac, and healed by being put right. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONDITIONS } from '../kinds/condition-reasons.ts';
import { MAC_HOSTS } from '../kinds/mac-host.ts';
import { MACHINES } from '../kinds/machine.ts';
import { CLUSTER_API_RESOURCES } from '../kube/types/cluster-api.ts';
import { SECRETS } from '../kube/types/core.ts';
import { apiVersionOf } from '../kube/types/resource.ts';
import { openSshKeyFrom } from '../pki/openssh-key.ts';
import { createFleetKeys } from '../provider/identity/fleet-keys.ts';
import { renderDemo } from './demo-fleet.ts';
import { FLEET_KEY } from './fleet-cluster.ts';
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from './fleet-world.ts';
import { freeHosts, isTold as isEventTold, pass, readyMachines, runUntil } from './testing/fleet-run.ts';

const startWith = (options: FleetWorldOptions, spec: object): FleetWorld => {
  const world = createFleetWorld(options);
  for (const { resource, object } of renderDemo(1)) {
    const template = { spec: { fleetName: 'macos', ...spec } };
    const isTemplate = resource.kind.endsWith('Template');
    world.operator.apply({ resource, object: isTemplate ? { ...object, ...{ spec: { template } } } : object });
  }
  return world;
};

const machineOf = ({ operator }: FleetWorld) => operator.list(MACHINES)[0];
const toldOf = (world: FleetWorld) =>
  machineOf(world)?.status?.conditions?.find(({ type }) => type === CONDITIONS.machine.provisioned);

const reasonsOf = ({ operator }: FleetWorld) =>
  operator
    .list(MACHINES)
    .map(({ status }) => status?.conditions?.find(({ type }) => type === CONDITIONS.machine.provisioned)?.reason);

/** In its condition, for long enough, and nothing was sent to Scaleway. */
const isSaid = async (world: FleetWorld, reason: string, message: RegExp): Promise<void> => {
  await runUntil(world, reason, () => toldOf(world)?.reason === reason && message.test(toldOf(world)?.message ?? ''));
  await pass(world, 120_000);
  assert.equal(toldOf(world)?.reason, reason);
  assert.deepEqual(world.cloud.audit(), []);
};

/** And by an Event. */
const isTold = async (world: FleetWorld, reason: string, message: RegExp): Promise<void> => {
  await isSaid(world, reason, message);
  assert.ok(isEventTold(world, reason), `an Event ${reason}`);
};

const correct = (world: FleetWorld, spec: object): void =>
  world.operator.merge(MACHINES, machineOf(world)?.metadata.name ?? '', { spec });

describe('a machine with wrong input', () => {
  it('names a zone, an image, a type that cannot be: each is told, and it goes on when all are right', async () => {
    const world = startWith({ seed: 91, macs: 1 }, { zone: 'xx-xxx-9', os: 'macos-tahoe-26.3', type: 'M9-XXL' });
    await isTold(world, 'ZoneNotServed', /works in fr-par-\d, not in "xx-xxx-9": correct spec.zone/);
    correct(world, { zone: world.cloud.zone });
    await isTold(world, 'InvalidOSPin', /names an image; name a family/);
    correct(world, { os: 'Tahoe' });
    await isTold(world, 'NoAvailableHost', /type M9-XXL.*that pool has M2-L with Tahoe in fr-par/);
    correct(world, { type: 'M2-L' });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('T-27 T-48 has no prefix: nothing is looked through, and it goes on when it has one', async () => {
    const adjust: FleetWorldOptions['adjust'] = (ports) => ({
      ...ports,
      settings: { ...ports.settings, poolPrefix: '' },
    });
    const world = startWith({ seed: 92, macs: 1, adjust }, {});
    await isTold(world, 'NoAdoptPoolPrefix', /set spec.adoptPoolPrefix, or --default-adopt-pool-prefix/);
    assert.deepEqual(world.operator.list(MAC_HOSTS), []);
    correct(world, { adoptPoolPrefix: 'tuist-pool-' });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('R26 wants from a pool that is not for its namespace, until the manager is told otherwise', async () => {
    let allowed = 'elsewhere';
    const adjust: FleetWorldOptions['adjust'] = (ports) => {
      const poolNamespaces = new Map([['tuist-pool-', new Set([allowed])]]);
      return { ...ports, settings: { ...ports.settings, poolNamespaces } };
    };
    const world = startWith({ seed: 93, macs: 1, adjust }, {});
    await isTold(world, 'PoolNotAllowed', /namespace default may not adopt from the pool "tuist-pool-"/);
    allowed = 'default';
    world.kernel.restart('manager', 1_000);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('R26 wants from such a pool by a longer prefix: it gets no Mac, and none is put on record for it', async () => {
    const adjust: FleetWorldOptions['adjust'] = (ports) => {
      const poolNamespaces = new Map([['tuist-pool-', new Set(['elsewhere'])]]);
      return { ...ports, settings: { ...ports.settings, poolNamespaces } };
    };
    const world = startWith({ seed: 93, macs: 0, adjust }, { adoptPoolPrefix: 'tuist-pool-1' });
    await isTold(world, 'PoolNotAllowed', /namespace default may not adopt from the pool "tuist-pool-1"/);
    world.cloud.addServer({ name: 'tuist-pool-1abc' });
    await runUntil(world, 'on record', () => world.operator.list(MAC_HOSTS).length === 1);
    await pass(world, 600_000);
    const [host] = world.operator.list(MAC_HOSTS);
    assert.deepEqual([host?.spec.pool?.prefix, host?.spec.claimRef], ['tuist-pool-', undefined]);
  });

  it('has a prefix that another fleet’s continues: both are told, neither takes a Mac, and both go on when it is right', async () => {
    const world = startWith({ seed: 94, macs: 0 }, { adoptPoolPrefix: 'tuist-pool-' });
    const isOwned = () => machineOf(world)?.metadata.ownerReferences?.some(({ kind }) => kind === 'Machine') === true;
    await runUntil(world, 'a machine', isOwned);
    const { labels = {}, ownerReferences = [] } = machineOf(world)?.metadata ?? {};
    const metadata = { name: 'other', namespace: 'default', labels, ownerReferences };
    const spec = { ...machineOf(world)?.spec, adoptPoolPrefix: 'tuist-pool-m4-' };
    world.operator.apply({ resource: MACHINES, object: { metadata, ...{ spec } } });
    await runUntil(world, 'told', () => reasonsOf(world).every((reason) => reason === 'PoolPrefixesOverlap'));
    for (const name of ['tuist-pool-1', 'tuist-pool-m4-1']) world.cloud.addServer({ name });
    await isTold(
      world,
      'PoolPrefixesOverlap',
      /"tuist-pool-".*"tuist-pool-m4-", begin alike.*Let neither prefix begin/,
    );
    assert.deepEqual(
      new Set(world.operator.list(MAC_HOSTS).map(({ spec: { pool } }) => pool?.prefix)),
      new Set(['tuist-pool-', 'tuist-pool-m4-']),
    );
    world.cloud.addServer({ name: 'tuist-pool-2' });
    world.operator.merge(MACHINES, 'other', { spec: { adoptPoolPrefix: 'tuist-pool-' } });
    await runUntil(world, 'both have one', () =>
      world.operator.list(MACHINES).every(({ status }) => status?.serverID !== undefined),
    );
  });

  it('has the providerID of another provider: it gets no Mac, and one when that is cleared', async () => {
    const world = startWith({ seed: 95, macs: 0 }, {});
    await runUntil(world, 'waiting', () => machineOf(world)?.status?.phase === 'Pending');
    correct(world, { providerID: 'aws:///eu-west-1/i-1' });
    world.cloud.addServer({ name: 'tuist-pool-1' });
    await isTold(
      world,
      'NoAvailableHost',
      /bound to aws:\/\/\/eu-west-1\/i-1.*Delete the Machine, or clear spec.providerID/,
    );
    correct(world, { providerID: null });
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  /** One that core has not made. */
  const putMachine = ({ operator }: FleetWorld, name: string, metadata: object = {}): void =>
    operator.apply({
      resource: MACHINES,
      object: {
        ...{ apiVersion: apiVersionOf(MACHINES), kind: MACHINES.kind, spec: { fleetName: 'macos' } },
        metadata: { name, namespace: 'default', ...metadata },
      },
    });

  /** A Machine of core that wants it. */
  const putOwner = ({ operator }: FleetWorld, name: string): void => {
    const infrastructureRef = { apiGroup: MACHINES.group, kind: MACHINES.kind, name };
    const bootstrap = { dataSecretName: 'noop-bootstrap' };
    operator.apply({
      resource: CLUSTER_API_RESOURCES.machines,
      object: {
        ...{ apiVersion: apiVersionOf(CLUSTER_API_RESOURCES.machines), kind: CLUSTER_API_RESOURCES.machines.kind },
        metadata: { name, namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'demo' } },
        ...{ spec: { clusterName: 'demo', bootstrap, infrastructureRef } },
      },
    });
  };

  it('is owned by no Machine: told with what to do, and it goes on when one owns it', async () => {
    const world = createFleetWorld({ seed: 97, macs: 1 });
    for (const demo of renderDemo(0)) world.operator.apply(demo);
    putMachine(world, 'orphan');
    await isSaid(
      world,
      'WaitingForClusterInfrastructureReady',
      /^No Machine owns this object: .*infrastructureRef.*, or delete it/,
    );
    putOwner(world, 'orphan');
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('D9 belongs to a Cluster without infrastructure: it takes no Mac, and one as soon as there is', async () => {
    const world = createFleetWorld({ seed: 98, macs: 1 });
    const [shell, ...others] = renderDemo(0);
    for (const demo of others) world.operator.apply(demo);
    await pass(world, 60_000);
    putOwner(world, 'early');
    const uid = world.operator.list(CLUSTER_API_RESOURCES.machines)[0]?.metadata.uid;
    const owner = { apiVersion: apiVersionOf(CLUSTER_API_RESOURCES.machines), kind: 'Machine', name: 'early', uid };
    const labels = { 'cluster.x-k8s.io/cluster-name': 'demo' };
    putMachine(world, 'early', { labels, ownerReferences: [owner] });
    await isSaid(world, 'WaitingForClusterInfrastructureReady', /^The Cluster demo has no infrastructure yet/);
    assert.equal(machineOf(world)?.status?.serverID, undefined);
    if (shell !== undefined) world.operator.apply(shell);
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
  });

  it('T-13 T-15 I-07 is paused, or nobody’s: nothing is adopted for it, and it can be deleted', async () => {
    const world = createFleetWorld({ seed: 96, macs: 1 });
    for (const demo of renderDemo(0)) world.operator.apply(demo);
    putMachine(world, 'nobodys');
    putMachine(world, 'paused', { annotations: { 'cluster.x-k8s.io/paused': '' } });
    await runUntil(world, 'a free Mac', () => freeHosts(world) === 1);
    await pass(world, 120_000);
    for (const name of ['nobodys', 'paused']) world.operator.remove(MACHINES, name);
    await runUntil(world, 'gone', () => world.operator.list(MACHINES).length === 0);
    assert.deepEqual(world.cloud.audit(), []);
  });
});

describe('the Secret with the key of a fleet', () => {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const hostOf = ({ operator }: FleetWorld) => operator.list(MAC_HOSTS)[0];

  /** Kept in a Secret, as in production; the simulated Macs know one key. */
  const adjust: FleetWorldOptions['adjust'] = (ports) => {
    const register = async (): Promise<string> => 'key-id';
    const kept = createFleetKeys({ ...ports, register, namespace: 'default' });
    const privateKeyOf = async (fleet: string, signal: AbortSignal) => {
      await kept.privateKeyOf(fleet, signal);
      return FLEET_KEY;
    };
    return { ...ports, fleetKeys: { ...kept, privateKeyOf } };
  };
  const putKey = ({ operator }: FleetWorld, text: string): void =>
    operator.merge(SECRETS, 'macos-ssh', { data: { id_ed25519: encode(text) } });
  const { privateKey } = openSshKeyFrom(Buffer.alloc(32, 7));

  for (const { when, at } of [
    { when: 'before a Mac has its name', at: 'claimed' },
    { when: 'while a Mac is prepared', at: 'preparing' },
  ]) {
    it(`is edited to nonsense ${when}: told, no Mac is rebooted or wiped for it, and it goes on when that is right`, async () => {
      const world = startWith({ seed: 99, macs: 1, adjust }, {});
      const secret = { metadata: { name: 'macos-ssh', namespace: 'default' }, ...{ data: {} } };
      world.operator.apply({ resource: SECRETS, object: secret });
      putKey(world, privateKey.reveal());
      await runUntil(world, at, () => hostOf(world)?.status?.state === at);
      const before = world.cloud.audit().length;
      putKey(world, 'nonsense');
      if (at === 'preparing') world.kernel.restart('manager', 1_000);
      const isTold = () =>
        machineOf(world)?.status?.conditions?.some(({ message }) => message.includes('macos-ssh')) === true;
      await runUntil(world, 'told', isTold);
      await pass(world, 3_600_000);
      assert.ok(isTold());
      assert.equal(hostOf(world)?.spec.budgets.bootstrap.failures, 0);
      assert.deepEqual(world.cloud.audit().slice(before), []);
      const rightAtMs = world.kernel.actor('test').clock.now();
      putKey(world, privateKey.reveal());
      await runUntil(world, 'ready', () => readyMachines(world) === 1);
      assert.ok(world.kernel.actor('test').clock.now() - rightAtMs < 600_000);
    });
  }
});

describe('a MacHost that somebody forged', () => {
  it('R1 R8 does nothing to a server whose name it does not explain, nor to one of another project', async () => {
    const world = createFleetWorld({ seed: 97, macs: 0 });
    const server = world.cloud.addServer({ name: 'the-mac-of-ann' });
    const forge = (name: string, projectID: string): void =>
      world.operator.apply({
        resource: MAC_HOSTS,
        object: {
          ...{ apiVersion: apiVersionOf(MAC_HOSTS), kind: MAC_HOSTS.kind, metadata: { name } },
          ...{
            spec: {
              source: { scaleway: { projectID, zone: world.cloud.zone, serverID: name } },
              ...{ pool: { prefix: 'tuist-pool-' }, assignedName: { current: 'mac-1' } },
              release: { intentID: 'forged', reason: 'Forged' },
            },
          },
        },
      });
    forge(server.id, world.cloud.projectId);
    forge('11111111-2222-4333-8444-555555555555', 'another-project');
    await pass(world, 600_000);
    assert.deepEqual(world.cloud.audit(), []);
    const [told] = world.operator.list(MAC_HOSTS).flatMap(({ status }) => status?.conditions ?? []);
    assert.deepEqual(
      [told?.reason, told?.message],
      [
        'ServerNameMismatch',
        'the server is named "the-mac-of-ann", expected "mac-1": nothing is done to it before it has that name again',
      ],
    );
  });

  it('R4 stays on record while its Mac is not free, whoever deletes it', async () => {
    const world = startWith({ seed: 98, macs: 1 }, {});
    await runUntil(world, 'ready', () => readyMachines(world) === 1);
    const name = machineOf(world)?.status?.serverID ?? '';
    world.operator.remove(MAC_HOSTS, name);
    await pass(world, 120_000);
    assert.equal(world.operator.list(MAC_HOSTS)[0]?.metadata.name, name);
    assert.equal(world.cloud.server(name)?.wipes, 0);
  });
});
