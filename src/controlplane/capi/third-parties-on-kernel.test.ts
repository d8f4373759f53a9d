/** What others do to a fleet behind the controllers' back: rows F74 to F79 of the fault list, and the Secret of F81. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NAMESPACES, NODES, SECRETS } from '../../kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../kube/types/extensions.ts';
import type { ObjectKey } from '../../kube/types/meta.ts';
import type { Machine } from './machine-kinds.ts';
import {
  CLUSTER,
  CLUSTERS,
  CONTROL_PLANES,
  FLEET,
  INFRASTRUCTURE_CLUSTERS,
  MACHINE_DEPLOYMENTS,
  renderDefinition,
  renderDeployment,
  TEMPLATES,
} from './testing/fleet-objects.ts';
import { createFleetWorld, type FleetWorld } from './testing/fleet-world.ts';
import { KUBECONFIG } from './testing/remote.ts';
import { INFRASTRUCTURE_MACHINES } from './testing/scripted-provider.ts';

const { machines: MACHINES, machineSets: MACHINE_SETS } = CLUSTER_API_RESOURCES;
const BOUNDS = { maxEvents: 300_000, maxVirtualMs: 1_800_000 };
const DEPLOYMENT = { namespace: 'ns', name: 'macs' };
const REPLICAS = 3;

const keyOf = ({ metadata }: Machine): ObjectKey => ({ namespace: 'ns', name: metadata.name });
const statusOf = ({ status }: Machine, type: string) => status?.conditions?.find((one) => one.type === type);
const isBound = (machine: Machine): boolean => statusOf(machine, 'NodeHealthy')?.status === 'True';

const isUp = ({ all }: FleetWorld): boolean =>
  all(MACHINE_DEPLOYMENTS)[0]?.status?.availableReplicas === REPLICAS &&
  [all(MACHINES), all(INFRASTRUCTURE_MACHINES), all(NODES)].every(({ length }) => length === REPLICAS) &&
  all(MACHINES).every(isBound);

const runUntil = async ({ kernel }: FleetWorld, goal: string, until: () => boolean): Promise<void> => {
  const { outcome } = await kernel.run({ ...BOUNDS, until });
  assert.equal(outcome, 'until', `the fleet never got to: ${goal}`);
};

const startFleet = (): FleetWorld => {
  const world = createFleetWorld({ seed: 7, api: 'embedded' });
  world.create(NAMESPACES, { metadata: { name: 'ns' } });
  for (const resource of [INFRASTRUCTURE_MACHINES, TEMPLATES, INFRASTRUCTURE_CLUSTERS, CONTROL_PLANES]) {
    world.create(CUSTOM_RESOURCE_DEFINITIONS, renderDefinition(resource));
  }
  world.create(SECRETS, KUBECONFIG);
  for (const [resource, object] of FLEET) world.create(resource, object);
  world.create(MACHINE_DEPLOYMENTS, renderDeployment(REPLICAS));
  return world;
};

const startUp = async (): Promise<FleetWorld> => {
  const world = startFleet();
  await runUntil(world, 'all Machines are up', () => isUp(world));
  return world;
};

const firstOf = ({ all }: FleetWorld): Machine => {
  const [machine] = all(MACHINES);
  assert.ok(machine, 'there is no Machine');
  return machine;
};

const findMachine = ({ all }: FleetWorld, { metadata }: Machine): Machine | undefined =>
  all(MACHINES).find((one) => one.metadata.uid === metadata.uid);

const creationsOf = ({ writes }: FleetWorld, plural: string): number =>
  writes.filter(({ method, path, status }) => method === 'POST' && status === 201 && path.includes(`/${plural}?`))
    .length;

describe('a fleet that others meddle with', () => {
  it('F74: a Machine whose finalizer is taken away leaves nothing behind, and is replaced once', async () => {
    const world = await startUp();
    const lost = firstOf(world);
    const before = creationsOf(world, 'machines');
    world.remove(MACHINES, keyOf(lost));
    world.patch(MACHINES, keyOf(lost), { metadata: { finalizers: null } });
    await runUntil(world, 'its infrastructure is gone and another came', () => {
      const infrastructure = world.all(INFRASTRUCTURE_MACHINES).map(({ metadata }) => metadata.name);
      return !infrastructure.includes(lost.metadata.name) && infrastructure.length === REPLICAS;
    });
    await runUntil(world, 'all are bound', () => world.all(MACHINES).every(isBound));
    assert.equal(creationsOf(world, 'machines') - before, 1);
  });

  it('F75: from the moment that all say they are paused nothing is made, whenever that is', async () => {
    for (const atMs of [200, 600, 1_500, 2_500]) {
      const world = startFleet();
      await world.kernel.run({ ...BOUNDS, maxVirtualMs: atMs });
      world.patch(CLUSTERS, CLUSTER.metadata, { spec: { paused: true } });
      const members = () => [...world.all(MACHINE_DEPLOYMENTS), ...world.all(MACHINE_SETS), ...world.all(MACHINES)];
      await runUntil(world, 'all say so', () =>
        members().every(({ status }) =>
          status?.conditions?.some(({ type, status: is }) => type === 'Paused' && is === 'True'),
        ),
      );
      const made = () => ['machinesets', 'machines'].map((plural) => creationsOf(world, plural));
      const before = made();
      await world.kernel.run({ ...BOUNDS, maxVirtualMs: 120_000 });
      assert.deepEqual(made(), before, `paused after ${atMs} ms`);
      world.patch(CLUSTERS, CLUSTER.metadata, { spec: { paused: false } });
      await runUntil(world, 'it goes on', () => isUp(world));
    }
  });

  it('F76: a namesake of what was deleted starts from nothing, and the old ones go', async () => {
    const world = await startUp();
    const old = new Set(world.all(MACHINES).map(({ metadata }) => metadata.uid));
    world.remove(MACHINE_DEPLOYMENTS, DEPLOYMENT);
    await runUntil(world, 'the deployment is gone', () => world.all(MACHINE_DEPLOYMENTS).length === 0);
    world.create(MACHINE_DEPLOYMENTS, renderDeployment(REPLICAS));
    const isOld = ({ metadata }: Machine): boolean => old.has(metadata.uid);
    await runUntil(world, 'only new ones are left', () => isUp(world) && !world.all(MACHINES).some(isOld));
    assert.equal(world.all(MACHINE_SETS).length, 1);
  });

  it('F77: Machines of a Cluster that is not there wait, and make nothing', async () => {
    const world = createFleetWorld({ seed: 7, api: 'embedded' });
    world.create(NAMESPACES, { metadata: { name: 'ns' } });
    for (const resource of [INFRASTRUCTURE_MACHINES, TEMPLATES]) {
      world.create(CUSTOM_RESOURCE_DEFINITIONS, renderDefinition(resource));
    }
    world.create(MACHINE_DEPLOYMENTS, renderDeployment(REPLICAS));
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 300_000 });
    assert.deepEqual(world.all(INFRASTRUCTURE_MACHINES), []);
  });

  it('F78: a Node that somebody deleted comes back and is bound again, to the same Machine', async () => {
    const world = await startUp();
    const machine = firstOf(world);
    const name = machine.status?.nodeRef?.name ?? '';
    world.remove(NODES, { name });
    await runUntil(world, 'it is missed or back', () => {
      const found = findMachine(world, machine);
      return world.all(NODES).length === REPLICAS && found !== undefined && isBound(found);
    });
    assert.equal(findMachine(world, machine)?.status?.nodeRef?.name, name);
    assert.equal(creationsOf(world, 'machines'), REPLICAS);
  });

  it('F79: a Node of the same name with another identity is not taken for it', async () => {
    const world = await startUp();
    const machine = firstOf(world);
    const name = machine.status?.nodeRef?.name ?? '';
    world.remove(NODES, { name });
    world.create(NODES, { metadata: { name }, spec: { providerID: 'scripted://impostor' } });
    await runUntil(world, 'the Machine says that its Node is gone', () => {
      const found = findMachine(world, machine);
      return found !== undefined && statusOf(found, 'NodeHealthy')?.reason === 'NodeDeleted';
    });
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 60_000 });
    const impostor = world.all(NODES).find(({ metadata }) => metadata.name === name);
    assert.equal(
      impostor?.metadata.annotations?.['cluster.x-k8s.io/machine'],
      undefined,
      'it was marked as the Machine’s',
    );
    world.remove(NODES, { name });
    await runUntil(world, 'the right one is back', () => isUp(world));
  });

  it('F81: without the kubeconfig nothing is bound or unbound, and all is well when it is back', async () => {
    const world = await startUp();
    world.remove(SECRETS, KUBECONFIG.metadata);
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 400_000 });
    const machine = firstOf(world);
    assert.equal(statusOf(machine, 'NodeHealthy')?.reason, 'ConnectionDown');
    assert.notEqual(machine.status?.nodeRef, undefined);
    const before = world.writes.length;
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 300_000 });
    const told = world.writes.slice(before).filter(({ path }) => !path.includes('/leases/'));
    assert.deepEqual(told, [], 'somebody writes although nothing changes');
    world.create(SECRETS, KUBECONFIG);
    await runUntil(world, 'all are bound again', () => isUp(world));
  });
});
