/** Stories of Machines: rolled out, held by a hook, paused, without their infrastructure. */
import assert from 'node:assert/strict';
import type { Machine, MachineDeployment, MachineSet } from '../../src/controlplane/capi/machine-kinds.ts';
import {
  CLUSTER,
  CLUSTERS,
  MACHINE_DEPLOYMENTS,
  renderDeployment,
  TEMPLATES,
} from '../../src/controlplane/capi/testing/fleet-objects.ts';
import { INFRASTRUCTURE_MACHINES, NEVER_PROVISIONED } from '../../src/controlplane/capi/testing/scripted-provider.ts';
import { CLUSTER_API_RESOURCES } from '../../src/kube/types/cluster-api.ts';
import { NODES, type Node } from '../../src/kube/types/core.ts';
import type { Resource } from '../../src/kube/types/resource.ts';
import { conditionOf, type Difference, type Scenario, type ScenarioApi, tellConditions } from './scenario.ts';

const MACHINES: Resource<Machine> = CLUSTER_API_RESOURCES.machines;
const MACHINE_SETS: Resource<MachineSet> = CLUSTER_API_RESOURCES.machineSets;
const macsOf = ({ namespace }: ScenarioApi) => ({ namespace, name: 'macs' });
const clusterOf = ({ namespace }: ScenarioApi) => ({ namespace, name: CLUSTER.metadata.name });

const untilUp = (api: ScenarioApi, replicas: number): Promise<void> =>
  api.until(`${replicas} Machines are up`, async () => {
    const deployment = await api.get(MACHINE_DEPLOYMENTS, macsOf(api));
    const { status } = deployment ?? {};
    const isCounted = status?.replicas === replicas && status.upToDateReplicas === replicas;
    const machines = await api.list(MACHINES, api.namespace);
    const areReady = machines.every((machine) => conditionOf(machine, 'NodeReady') === 'True');
    const isDone = isCounted && status.availableReplicas === replicas && machines.length === replicas && areReady;
    return isDone && (await isCalm(api));
  });

/** Whether everybody has told of it: conditions follow the counts one by one. */
const isCalm = async (api: ScenarioApi): Promise<boolean> => {
  const sets = await api.list(MACHINE_SETS, api.namespace);
  const deployment = await api.get(MACHINE_DEPLOYMENTS, macsOf(api));
  const isQuiet = (scaled: MachineSet | MachineDeployment | undefined): boolean =>
    ['RollingOut', 'ScalingUp', 'ScalingDown', 'Paused'].every((type) => conditionOf(scaled, type) !== 'True') &&
    ['MachinesReady', 'MachinesUpToDate'].every((type) => conditionOf(scaled, type) === 'True');
  const isSound = (machine: Machine): boolean =>
    conditionOf(machine, 'Paused') === 'False' &&
    ['Ready', 'Available', 'UpToDate'].every((type) => conditionOf(machine, type) === 'True');
  const isOpen = ({ spec }: Node): boolean => !spec?.taints?.some(({ key }) => key.includes('node.kubernetes.io/'));
  return (
    [...sets, deployment].every(isQuiet) &&
    (await api.list(MACHINES, api.namespace)).every(isSound) &&
    (await api.list(NODES)).every(isOpen)
  );
};

const DIFFERENCES: readonly Difference[] = [
  {
    shown: 'cluster.x-k8s.io/taints-from-machine',
    why: 'taints of Machines are refused here; core writes the note even when there are none',
  },
  {
    shown: 'node.alpha.kubernetes.io/ttl',
    why: 'a hint for kubelets how long to keep Secrets: no agent of ours reads it',
  },
  { shown: 'beta.kubernetes.io/arch', why: 'the deprecated name of kubernetes.io/arch' },
  { shown: 'beta.kubernetes.io/os', why: 'the deprecated name of kubernetes.io/os' },
];

const tellScaled = ({ spec, status }: MachineSet | MachineDeployment): readonly unknown[] => {
  const { replicas, readyReplicas, availableReplicas, upToDateReplicas } = status ?? {};
  const counts = [spec.replicas, replicas, readyReplicas, availableReplicas, upToDateReplicas];
  return [counts.join(), ...tellConditions(status?.conditions)];
};

const tellMachines = async (api: ScenarioApi): Promise<unknown> => {
  const machines = await api.list(MACHINES, api.namespace);
  const sets = await api.list(MACHINE_SETS, api.namespace);
  const deployment = await api.get(MACHINE_DEPLOYMENTS, macsOf(api));
  const nodes = await api.list(NODES);
  return {
    machines: machines.map(({ status }) => [status?.phase, ...tellConditions(status?.conditions)]),
    sets: sets.map(tellScaled).sort(),
    deployment: deployment === undefined ? [] : tellScaled(deployment),
    nodes: nodes.map(({ metadata, spec }) => ({
      labels: Object.keys(metadata.labels ?? {}).sort(),
      annotations: Object.keys(metadata.annotations ?? {}).sort(),
      taints: (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).sort(),
    })),
  };
};

const rollout: Scenario = {
  name: 'a template is rolled out',
  needs: 'machines',
  differences: DIFFERENCES,
  run: async (api) => {
    await api.create(MACHINE_DEPLOYMENTS, { ...renderDeployment(2), metadata: macsOf(api) });
    await untilUp(api, 2);
    const before = (await api.list(MACHINES, api.namespace)).map(({ metadata }) => metadata.name);
    await api.create(TEMPLATES, {
      metadata: { namespace: api.namespace, name: 'mac-2' },
      ...{ spec: { template: { spec: { type: 'M4-M' } } } },
    });
    await api.patch(MACHINE_DEPLOYMENTS, macsOf(api), {
      spec: { template: renderDeployment(2, 'mac-2').spec.template },
    });
    await api.until('the old ones are gone', async () => {
      const names = (await api.list(MACHINES, api.namespace)).map(({ metadata }) => metadata.name);
      assert.ok(names.length <= 4, `${names.length} Machines for two, one more in surge and one on its way out`);
      return !names.some((name) => before.includes(name));
    });
    await untilUp(api, 2);
    await api.until('one set is left', async () => (await api.list(MACHINE_SETS, api.namespace)).length === 1);
    await api.until('two Nodes are left', async () => (await api.list(NODES)).length === 2);
    const types = (await api.list(INFRASTRUCTURE_MACHINES, api.namespace)).map(({ spec }) =>
      JSON.stringify(spec).includes('M4-M'),
    );
    return { types, ...((await tellMachines(api)) as object) };
  },
};

const HOOK = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/scenario';

const hook: Scenario = {
  name: 'a Machine is deleted, and a hook holds it',
  needs: 'machines',
  differences: DIFFERENCES,
  run: async (api) => {
    await api.create(MACHINE_DEPLOYMENTS, { ...renderDeployment(1), metadata: macsOf(api) });
    await untilUp(api, 1);
    const [machine] = await api.list(MACHINES, api.namespace);
    assert.ok(machine);
    const key = { namespace: api.namespace, name: machine.metadata.name };
    await api.patch(MACHINES, key, { metadata: { annotations: { [HOOK]: '' } } });
    await api.delete(MACHINES, key);
    const reasonOf = async () =>
      (await api.get(MACHINES, key))?.status?.conditions?.find(({ type }) => type === 'Deleting')?.reason;
    await api.until('it waits for the hook', async () => (await reasonOf()) === 'WaitingForPreTerminateHook');
    const isKept = async () => (await api.get(INFRASTRUCTURE_MACHINES, key))?.metadata.deletionTimestamp === undefined;
    await api.always('its infrastructure stays', isKept, 5_000);
    const cordoned = (await api.list(NODES)).find(({ metadata }) => metadata.name === key.name)?.spec?.unschedulable;
    await api.patch(MACHINES, key, { metadata: { annotations: { [HOOK]: null } } });
    await api.until('it is gone', async () => (await api.get(MACHINES, key)) === undefined);
    await untilUp(api, 1);
    await api.until('one Node is left', async () => (await api.list(NODES)).length === 1);
    return { cordoned, ...((await tellMachines(api)) as object) };
  },
};

const pause: Scenario = {
  name: 'a paused Cluster stands still',
  needs: 'machines',
  differences: DIFFERENCES,
  run: async (api) => {
    await api.create(MACHINE_DEPLOYMENTS, { ...renderDeployment(1), metadata: macsOf(api) });
    await untilUp(api, 1);
    await api.patch(CLUSTERS, clusterOf(api), { spec: { paused: true } });
    await api.until('all say so', async () => {
      const members = [
        ...(await api.list(MACHINES, api.namespace)),
        ...(await api.list(MACHINE_DEPLOYMENTS, api.namespace)),
      ];
      return members.every((member) => conditionOf(member, 'Paused') === 'True');
    });
    await api.patch(MACHINE_DEPLOYMENTS, macsOf(api), { spec: { replicas: 3 } });
    await api.always('nothing is made', async () => (await api.list(MACHINES, api.namespace)).length === 1, 10_000);
    await api.patch(CLUSTERS, clusterOf(api), { spec: { paused: false } });
    await untilUp(api, 3);
    return tellMachines(api);
  },
};

/** The infrastructure of a Machine, once that owns it alone. */
const untilOwned = async (api: ScenarioApi, besides: readonly string[]) => {
  const find = async () => {
    const machines = await api.list(MACHINES, api.namespace);
    const machine = machines.find(({ metadata }) => !besides.includes(metadata.name));
    const infra = machine && (await api.get(INFRASTRUCTURE_MACHINES, { ...macsOf(api), name: machine.metadata.name }));
    const owners = infra?.metadata.ownerReferences ?? [];
    return owners.every(({ uid }) => uid === machine?.metadata.uid) && owners.length === 1 ? infra : undefined;
  };
  await api.until('a Machine owns its infrastructure', async () => (await find()) !== undefined);
  const infra = await find();
  assert.ok(infra);
  return { namespace: api.namespace, name: infra.metadata.name };
};

const lost: Scenario = {
  name: 'the infrastructure of a Machine is deleted before it was provisioned, then the Machine',
  needs: 'machines',
  run: async (api) => {
    const annotations = { [NEVER_PROVISIONED]: '' };
    await api.create(TEMPLATES, {
      metadata: { namespace: api.namespace, name: 'mac-never' },
      ...{ spec: { template: { metadata: { annotations }, spec: { type: 'M2-L' } } } },
    });
    await api.create(MACHINE_DEPLOYMENTS, { ...renderDeployment(1, 'mac-never'), metadata: macsOf(api) });
    const key = await untilOwned(api, []);
    await api.delete(INFRASTRUCTURE_MACHINES, key);
    const told = async () =>
      (await api.get(MACHINES, key))?.status?.conditions?.find(({ type }) => type === 'InfrastructureReady');
    await api.until('the Machine says so', async () => (await told())?.reason === 'ObjectDoesNotExist');
    const isMissing = async () => (await api.list(INFRASTRUCTURE_MACHINES, api.namespace)).length === 0;
    await api.always('nobody makes it anew', isMissing, 5_000);
    const { status, message } = (await told()) ?? {};
    await api.delete(MACHINES, key);
    await api.until('the Machine is gone', async () => (await api.get(MACHINES, key)) === undefined);
    const next = await untilOwned(api, [key.name]);
    const machines = (await api.list(MACHINES, api.namespace)).map(({ metadata }) => metadata.name === next.name);
    return { told: [status, message], machines };
  },
};

export const MACHINE_SCENARIOS: readonly Scenario[] = [rollout, hook, pause, lost];
