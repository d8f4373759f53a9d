import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NAMESPACES, NODES, PODS, SECRETS } from '../../kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../kube/types/extensions.ts';
import { JOBS, type Job } from '../core/workloads/job.ts';
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
import { createFleetWorld, type FleetWorld, type FleetWorldOptions } from './testing/fleet-world.ts';
import { KUBECONFIG } from './testing/remote.ts';
import { INFRASTRUCTURE_MACHINES } from './testing/scripted-provider.ts';

const { machines: MACHINES, machineSets: MACHINE_SETS } = CLUSTER_API_RESOURCES;
/** All 500 points held when they were tried, in three minutes; an odd stride alternates between before and after. */
const SAMPLE_STRIDE = 41;
const BOUNDS = { maxEvents: 300_000, maxVirtualMs: 1_800_000 };
const DEPLOYMENT = { namespace: 'ns', name: 'macs' };

const JOB: Job = {
  metadata: { namespace: 'ns', name: 'build' },
  spec: {
    parallelism: 4,
    completions: 8,
    template: {
      spec: {
        containers: [{ name: 'main', image: 'vm' }],
        restartPolicy: 'Never',
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { 'node-restriction.kubernetes.io/macfleet-fleet': 'demo' },
      },
    },
  },
};

/** What must hold after every single event. */
const check = ({ all }: FleetWorld): void => {
  const living = all(MACHINES).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  assert.ok(living.length <= 3, `${living.length} Machines for 3 replicas`);
  assert.ok(all(MACHINE_SETS).length <= 1, 'two sets for one template');
  for (const { metadata } of all(NODES)) {
    const held = all(PODS).filter(
      ({ spec, status }) =>
        spec.nodeName === metadata.name && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    );
    assert.ok(held.length <= 2, `${held.length} Pods on ${metadata.name}, which has two places`);
  }
  const pods = all(PODS).length;
  assert.ok(pods <= 8, `${pods} Pods for a Job of 8`);
};

const isUp = ({ all }: FleetWorld): boolean =>
  all(MACHINE_DEPLOYMENTS)[0]?.status?.availableReplicas === 3 &&
  all(MACHINES).every(({ status }) => status?.nodeRef !== undefined) &&
  all(NODES).length === 3 &&
  all(JOBS)[0]?.status?.conditions?.some(({ type }) => type === 'Complete') === true;

const isAt = ({ all }: FleetWorld, count: number): boolean =>
  [all(MACHINES), all(INFRASTRUCTURE_MACHINES), all(NODES)].every(({ length }) => length === count) &&
  all(MACHINE_DEPLOYMENTS)[0]?.status?.replicas === count;

/** The Node is left, as Cluster API leaves it: with the Cluster its own API would be gone. */
const isGone = ({ all }: FleetWorld): boolean =>
  [CLUSTERS, INFRASTRUCTURE_CLUSTERS, MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES, INFRASTRUCTURE_MACHINES].every(
    (resource) => all(resource).length === 0,
  );

const runUntil = async (world: FleetWorld, goal: string, until: () => boolean): Promise<void> => {
  const { outcome } = await world.kernel.run({ ...BOUNDS, check: () => check(world), until });
  assert.equal(outcome, 'until', `the fleet never got to: ${goal}`);
};

/** What the embedded API asks for and the other does not: a namespace and the provider's CRDs. */
const prepareApi = ({ create }: FleetWorld): void => {
  create(NAMESPACES, { metadata: { name: 'ns' } });
  for (const resource of [INFRASTRUCTURE_MACHINES, TEMPLATES, INFRASTRUCTURE_CLUSTERS, CONTROL_PLANES]) {
    create(CUSTOM_RESOURCE_DEFINITIONS, renderDefinition(resource));
  }
};

/** Three Macs and a Job; then one Mac; then nothing. */
const playFleet = async (options: FleetWorldOptions, disturb: (world: FleetWorld) => void = () => undefined) => {
  const world = createFleetWorld(options);
  if (options.api === 'embedded') prepareApi(world);
  world.create(SECRETS, KUBECONFIG);
  for (const [resource, object] of FLEET) world.create(resource, object);
  world.create(MACHINE_DEPLOYMENTS, renderDeployment(3));
  world.create(JOBS, JOB);
  disturb(world);
  await runUntil(world, 'three Nodes and the Job done', () => isUp(world));
  world.patch(MACHINE_DEPLOYMENTS, DEPLOYMENT, { spec: { replicas: 1 } });
  await runUntil(world, 'one Machine', () => isAt(world, 1));
  world.remove(CLUSTERS, CLUSTER.metadata);
  await runUntil(world, 'nothing left', () => isGone(world));
  return world;
};

const killAtRandom = ({ kernel, hosts }: FleetWorld): void => {
  for (let blow = 0; blow < 12; blow += 1) {
    const atMs = kernel.choose('blow at', 20_000);
    const victim = kernel.choose('blow whom', 4);
    kernel.schedule(atMs, 'blow', () => {
      const name = victim < 3 ? (['controlplane', 'provider', 'controlplane'][victim] ?? '') : hosts()[0];
      if (name !== undefined) kernel.restart(name, 500);
    });
  }
};

describe('the machine controllers on the simulation kernel', () => {
  it('bring three Machines up with their Nodes, run a Job on them, shrink, and clean up', async () => {
    const world = await playFleet({ seed: 1 });
    assert.ok(world.kernel.nowMs() < 30_000, `took ${world.kernel.nowMs()} ms of virtual time`);
  });

  it('converge although they, the provider and a host are killed at random, and every seed runs the same twice', async () => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const runOnce = async (): Promise<string> => {
        const { kernel } = await playFleet({ seed }, killAtRandom);
        return (await kernel.run({ ...BOUNDS, maxVirtualMs: 1_000 })).traceHash;
      };
      assert.equal(await runOnce(), await runOnce(), `seed ${seed} ran differently the second time`);
    }
  });

  it('do the same on the embedded API, with its rules for status, CRDs and graceful deletion', async () => {
    const world = await playFleet({ seed: 1, api: 'embedded' }, killAtRandom);
    const refused = world.writes.filter(({ status }) => status >= 400 && ![403, 404, 409].includes(status));
    assert.deepEqual(refused, []);
    assert.deepEqual(world.forbidden, [], 'somebody lacks a right');
  });

  it('fall silent once all is well: nothing is written but heartbeats', async () => {
    const world = createFleetWorld({ seed: 1 });
    world.create(SECRETS, KUBECONFIG);
    for (const [resource, object] of FLEET) world.create(resource, object);
    world.create(MACHINE_DEPLOYMENTS, renderDeployment(3));
    world.create(JOBS, JOB);
    await runUntil(world, 'three Nodes and the Job done', () => isUp(world));
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 10_000 });
    const before = world.writes.length;
    await world.kernel.run({ ...BOUNDS, maxVirtualMs: 600_000 });
    const after = world.writes.slice(before);
    assert.deepEqual(
      after.filter(({ path }) => !path.includes('/leases/')),
      [],
    );
    assert.ok(after.length >= 3 * 58, `${after.length} heartbeats of three Nodes in ten minutes`);
  });

  it('survive being killed before and after an effect, tried at points spread over the whole story', async () => {
    const reference = await playFleet({ seed: 1 });
    const { effects } = reference.kernel.counts('controlplane');
    for (let index = 0; index < effects; index += SAMPLE_STRIDE) {
      const kind = index % 2 === 0 ? 'after-effect' : 'before-effect';
      const crash = { actor: 'controlplane', kind, index, restartAfterMs: 1_000 } as const;
      const { kernel } = await playFleet({ seed: 1, crash });
      assert.ok(kernel.hasCrashed(), `never came to ${kind} ${index}`);
    }
  });
});
