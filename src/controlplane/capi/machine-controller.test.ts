import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transport } from '../../kube/client/transport.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { EVENTS, NODES, PODS, SECRETS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { readyNode, startCluster } from '../core/testing/cluster.ts';
import { createCapiControllers } from './capi-controllers.ts';
import type { Machine } from './machine-kinds.ts';
import {
  CLUSTER,
  CLUSTERS,
  CONTROL_PLANES,
  FLEET,
  GROUP,
  INFRASTRUCTURE_CLUSTERS,
  MACHINE_DEPLOYMENTS,
  renderDeployment,
  TEMPLATES,
} from './testing/fleet-objects.ts';
import { KUBECONFIG, openTo } from './testing/remote.ts';
import { INFRASTRUCTURE_MACHINES } from './testing/scripted-provider.ts';

const { machines: MACHINES, machineSets: MACHINE_SETS } = CLUSTER_API_RESOURCES;
const WELL = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' as const }));
const FLEET_LABEL = 'node-restriction.kubernetes.io/macfleet-fleet';

interface Evictions {
  held: boolean;
}

/** As a budget that allows nothing makes the API answer. */
const withBudget = (inner: Transport, evictions: Evictions): Transport => ({
  ...inner,
  send: async (request) => {
    if (!evictions.held || !/\/eviction(\?|$)/.test(request.path)) return inner.send(request);
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const details = { causes: [{ reason: 'DisruptionBudget' }] };
    const refusal = { kind: 'Status', status: 'Failure', reason: 'TooManyRequests', code: 429, message, details };
    const body = (async function* () {
      yield Buffer.from(JSON.stringify(refusal));
    })();
    return { status: 429, headers: { 'content-type': 'application/json' }, body };
  },
});

const startFleet = async (replicas: number, without: readonly string[] = []) => {
  const evictions: Evictions = { held: false };
  const cluster = startCluster((deps) => createCapiControllers({ ...deps, openRemote: openTo(deps.client) }), {
    wrap: (transport) => withBudget(transport, evictions),
  });
  if (!without.includes('Secret')) await cluster.create(SECRETS, KUBECONFIG);
  for (const [resource, object] of FLEET) {
    if (!without.includes(resource.kind)) await cluster.create(resource, object);
  }
  await cluster.create(MACHINE_DEPLOYMENTS, renderDeployment(replicas));
  const machine = async (): Promise<Machine> => {
    const [first] = await cluster.all(MACHINES);
    assert.ok(first, 'there is no Machine');
    return first;
  };
  const keyOf = ({ metadata }: Machine) => ({ namespace: 'ns', name: metadata.name });
  /** As the provider does it: identity and status. */
  const provision = async (providerID: string): Promise<void> => {
    const key = keyOf(await machine());
    await cluster.patch(INFRASTRUCTURE_MACHINES, key, { spec: { providerID }, metadata: { finalizers: ['p/f'] } });
    await cluster.patchStatus(INFRASTRUCTURE_MACHINES, key, { initialization: { provisioned: true } });
  };
  const join = (name: string, providerID: string) =>
    cluster.create(
      NODES,
      readyNode(name, { spec: { providerID }, status: { conditions: [{ type: 'Ready', status: 'True' }, ...WELL] } }),
    );
  const condition = async (type: string): Promise<string> => {
    const found = (await machine()).status?.conditions?.find((candidate) => candidate.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  return { ...cluster, evictions, machine, keyOf, provision, join, condition };
};

describe('a Machine', () => {
  it('gets its infrastructure cloned from the template, under its own name', async () => {
    const fleet = await startFleet(1);
    const { metadata, spec } = await fleet.machine();
    const [clone] = await fleet.all(INFRASTRUCTURE_MACHINES);
    assert.equal(clone?.metadata.name, metadata.name);
    assert.deepEqual(spec.infrastructureRef, { apiGroup: GROUP, kind: 'ScriptedMachine', name: metadata.name });
    assert.deepEqual(clone?.spec, { type: 'M2-L' });
    assert.equal(clone?.metadata.labels?.['cluster.x-k8s.io/cluster-name'], 'fleet');
    assert.deepEqual(clone?.metadata.annotations, {
      'cluster.x-k8s.io/cloned-from-name': 'mac',
      'cluster.x-k8s.io/cloned-from-groupkind': 'ScriptedMachineTemplate.infrastructure.cluster.x-k8s.io',
    });
    assert.deepEqual(clone?.metadata.ownerReferences, [
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        name: metadata.name,
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    assert.deepEqual(metadata.finalizers, ['machine.cluster.x-k8s.io']);
    assert.equal(await fleet.condition('InfrastructureReady'), 'False NotReady');
    await fleet.end();
  });

  it('takes over providerID and addresses when it is provisioned, then its Node, and is available', async () => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    const provisioned = await fleet.machine();
    assert.equal(provisioned.spec.providerID, 'p://1');
    assert.equal(provisioned.status?.initialization?.infrastructureProvisioned, true);
    assert.equal(await fleet.condition('NodeHealthy'), 'Unknown NodeDoesNotExist');
    await fleet.join('n1', 'p://1');
    const { status } = await fleet.machine();
    assert.deepEqual(status?.nodeRef, { name: 'n1' });
    assert.equal(status?.phase, 'Running');
    for (const type of ['NodeReady', 'NodeHealthy', 'Ready', 'Available']) {
      assert.match(await fleet.condition(type), /^True /, type);
    }
    assert.equal((await fleet.all(NODES))[0]?.metadata.labels?.[FLEET_LABEL], 'demo');
    const [deployment] = await fleet.all(MACHINE_DEPLOYMENTS);
    const { conditions: _told, ...counts } = deployment?.status ?? {};
    assert.deepEqual(counts, {
      observedGeneration: 1,
      phase: 'Running',
      selector: 'pool=macs',
      ...{ replicas: 1, readyReplicas: 1, availableReplicas: 1, upToDateReplicas: 1 },
    });
    assert.deepEqual(fleet.problems, []);
    await fleet.end();
  });

  it('waits for a providerID although its infrastructure calls itself provisioned', async () => {
    const fleet = await startFleet(1);
    await fleet.patchStatus(INFRASTRUCTURE_MACHINES, fleet.keyOf(await fleet.machine()), {
      initialization: { provisioned: true },
    });
    const { status } = await fleet.machine();
    assert.deepEqual([status?.phase, status?.initialization], ['Provisioning', undefined]);
    await fleet.end();
  });

  it('says when its Node is sick, and when it is gone', async () => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    await fleet.join('n1', 'p://1');
    await fleet.patchStatus(NODES, { name: 'n1' }, { conditions: [{ type: 'Ready', status: 'False' }, ...WELL] });
    assert.equal(await fleet.condition('NodeHealthy'), 'False NodeNotHealthy');
    assert.match(await fleet.condition('Available'), /^False /);
    await fleet.remove(NODES, { name: 'n1' });
    assert.equal(await fleet.condition('NodeHealthy'), 'False NodeDeleted');
    assert.deepEqual((await fleet.machine()).status?.nodeRef, { name: 'n1' });
    await fleet.end();
  });

  it('goes from the infrastructure up: that first, then the Node, then itself', async () => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    await fleet.join('n1', 'p://1');
    const key = fleet.keyOf(await fleet.machine());
    await fleet.patch(MACHINE_DEPLOYMENTS, { namespace: 'ns', name: 'macs' }, { spec: { replicas: 0 } });
    const [leaving] = await fleet.all(INFRASTRUCTURE_MACHINES);
    assert.ok(leaving?.metadata.deletionTimestamp, 'the infrastructure was not deleted');
    assert.equal((await fleet.all(NODES)).length, 1, 'the Node went before its host');
    assert.equal((await fleet.machine()).status?.phase, 'Deleting');
    await fleet.patchStatus(INFRASTRUCTURE_MACHINES, key, {
      initialization: { provisioned: true },
      failureDomain: 'z',
    });
    const deletions = fleet.writesTo(INFRASTRUCTURE_MACHINES).filter(({ method }) => method === 'DELETE');
    assert.equal(deletions.length, 1, 'a change on the way out is no reason to delete again');
    await fleet.patch(INFRASTRUCTURE_MACHINES, key, { metadata: { finalizers: [] } });
    assert.deepEqual(await fleet.all(NODES), []);
    assert.deepEqual(await fleet.all(MACHINES), []);
    assert.equal((await fleet.all(MACHINE_SETS)).length, 1);
    await fleet.end();
  });

  it('never makes its infrastructure a second time when somebody deleted it', async () => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    const key = fleet.keyOf(await fleet.machine());
    await fleet.patch(INFRASTRUCTURE_MACHINES, key, { metadata: { finalizers: [] } });
    await fleet.remove(INFRASTRUCTURE_MACHINES, key);
    assert.equal(await fleet.condition('InfrastructureReady'), 'False ObjectDeleted');
    assert.deepEqual(await fleet.all(INFRASTRUCTURE_MACHINES), []);
    await fleet.end();
  });

  it('is not made before there is its template, and its set says so', async () => {
    const fleet = await startFleet(1, ['ScriptedMachineTemplate']);
    assert.deepEqual([await fleet.all(INFRASTRUCTURE_MACHINES), await fleet.all(MACHINES)], [[], []]);
    const [, template] = FLEET.find(([{ kind }]) => kind === TEMPLATES.kind) ?? [];
    assert.ok(template);
    const [set] = await fleet.all(MACHINE_SETS);
    const scaling = set?.status?.conditions?.find(({ type }) => type === 'ScalingUp');
    assert.equal(scaling?.status, 'True');
    assert.match(
      scaling?.message ?? '',
      /from 0 to 1 replicas is blocked because:\n\* ScriptedMachineTemplate does not exist/,
    );
    await fleet.create(TEMPLATES, template);
    assert.equal((await fleet.all(INFRASTRUCTURE_MACHINES)).length, 1);
    await fleet.end();
  });

  it('whose infrastructure somebody deleted before it was provisioned waits for it, and does not make it anew', async () => {
    const fleet = await startFleet(1);
    const machine = await fleet.machine();
    const key = fleet.keyOf(machine);
    await fleet.remove(INFRASTRUCTURE_MACHINES, key);
    assert.deepEqual(await fleet.all(INFRASTRUCTURE_MACHINES), []);
    assert.equal(await fleet.condition('InfrastructureReady'), 'False ObjectDoesNotExist');
    await fleet.create(INFRASTRUCTURE_MACHINES, { metadata: key, spec: {} });
    const [byHand] = await fleet.all(INFRASTRUCTURE_MACHINES);
    assert.deepEqual(
      byHand?.metadata.ownerReferences?.map(({ uid, controller }) => [uid, controller]),
      [[machine.metadata.uid, true]],
      'one that somebody made is taken over',
    );
    assert.equal(await fleet.condition('InfrastructureReady'), 'False NotReady');
    await fleet.end();
  });

  it('has a name that none of its set had before', async () => {
    const fleet = await startFleet(1);
    const names = new Set<string>();
    for (let time = 0; time < 4; time += 1) {
      const { metadata } = await fleet.machine();
      names.add(metadata.name);
      await fleet.remove(MACHINES, { namespace: 'ns', name: metadata.name });
    }
    assert.equal(names.size, 4, [...names].join(', '));
    await fleet.end();
  });

  it('takes what its set made for it and leaves nothing of a Machine that never was', async () => {
    const fleet = await startFleet(1);
    const [set] = await fleet.all(MACHINE_SETS);
    assert.ok(set);
    const { name, uid = '' } = set.metadata;
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name, uid };
    const orphan = { namespace: 'ns', name: `${name}-left`, ownerReferences: [owner] };
    await fleet.create(INFRASTRUCTURE_MACHINES, { metadata: orphan, spec: {} });
    await fleet.remove(MACHINES, fleet.keyOf(await fleet.machine()));
    const left = await fleet.all(INFRASTRUCTURE_MACHINES);
    assert.deepEqual(
      left.map(({ metadata }) => metadata.name),
      (await fleet.all(MACHINES)).map(({ metadata }) => metadata.name),
    );
    await fleet.end();
  });

  it('is bound to no Node before the control plane is initialized', async () => {
    const fleet = await startFleet(1, ['ScriptedControlPlane']);
    await fleet.provision('p://1');
    await fleet.join('n1', 'p://1');
    assert.equal((await fleet.machine()).status?.nodeRef, undefined);
    assert.equal(await fleet.condition('NodeHealthy'), 'Unknown InspectionFailed');
    const [, controlPlane] = FLEET.find(([{ kind }]) => kind === CONTROL_PLANES.kind) ?? [];
    assert.ok(controlPlane);
    await fleet.create(CONTROL_PLANES, controlPlane);
    assert.deepEqual((await fleet.machine()).status?.nodeRef, { name: 'n1' });
    await fleet.end();
  });

  it('says so when two Nodes claim to be its host, and is bound to neither', async () => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    await fleet.patch(CLUSTERS, CLUSTER.metadata, { spec: { paused: true } });
    await fleet.join('n1', 'p://1');
    await fleet.join('n2', 'p://1');
    await fleet.patch(CLUSTERS, CLUSTER.metadata, { spec: { paused: false } });
    assert.equal(await fleet.condition('NodeReady'), 'Unknown ProviderIdNotUnique');
    assert.equal((await fleet.machine()).status?.nodeRef, undefined);
    await fleet.end();
  });
});

describe('a Machine on its way out', () => {
  const startLeaving = async (annotations: Readonly<Record<string, string>> = {}) => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    await fleet.join('n1', 'p://1');
    await fleet.patch(MACHINES, fleet.keyOf(await fleet.machine()), { metadata: { annotations } });
    await fleet.create(PODS, {
      metadata: { namespace: 'ns', name: 'work', labels: { app: 'work' } },
      spec: { nodeName: 'n1', containers: [] },
      status: { phase: 'Running' },
    });
    const leave = async () => fleet.remove(MACHINES, fleet.keyOf(await fleet.machine()));
    const deleting = async (): Promise<string> => {
      const found = (await fleet.machine()).status?.conditions?.find(({ type }) => type === 'Deleting');
      return `${found?.status} ${found?.reason}`;
    };
    const isLeft = async () => (await fleet.all(INFRASTRUCTURE_MACHINES))[0]?.metadata.deletionTimestamp === undefined;
    const pod = { namespace: 'ns', name: 'work' };
    const endPod = async () => {
      await fleet.client.delete(PODS, pod, { gracePeriodSeconds: 0, signal: fleet.stop.signal });
      await fleet.settle();
    };
    /** Pods of the other cluster are not watched. */
    const lookAgain = async () => {
      await fleet.advance(1_000);
      await fleet.settle();
    };
    return { ...fleet, leave, deleting, isLeft, pod, endPod, lookAgain };
  };

  it('is cordoned and drained before its infrastructure goes', async () => {
    const fleet = await startLeaving();
    assert.equal(await fleet.deleting(), 'False NotDeleting');
    await fleet.leave();
    assert.equal((await fleet.all(NODES))[0]?.spec?.unschedulable, true);
    assert.ok((await fleet.all(PODS))[0]?.metadata.deletionTimestamp, 'the Pod was not evicted');
    assert.equal(await fleet.deleting(), 'True DrainingNode');
    assert.equal(await fleet.isLeft(), true, 'the infrastructure went before the Pods');
    await fleet.endPod();
    await fleet.lookAgain();
    assert.equal(await fleet.deleting(), 'True WaitingForInfrastructureDeletion');
    assert.equal(await fleet.isLeft(), false);
    assert.deepEqual(fleet.problems, []);
    await fleet.end();
  });

  it('waits for a disruption budget, and goes on when that allows it', async () => {
    const fleet = await startLeaving();
    fleet.evictions.held = true;
    await fleet.leave();
    assert.equal((await fleet.all(PODS))[0]?.metadata.deletionTimestamp, undefined);
    const told = (await fleet.machine()).status?.conditions?.find(({ type }) => type === 'Deleting');
    assert.match(told?.message ?? '', /Pod ns\/work: cannot evict pod: .*would violate the pod's disruption budget/);
    fleet.evictions.held = false;
    await fleet.lookAgain();
    assert.ok((await fleet.all(PODS))[0]?.metadata.deletionTimestamp, 'the Pod was not evicted');
    await fleet.end();
  });

  it('gives a drain up when its time is over', async () => {
    const fleet = await startLeaving();
    await fleet.patch(MACHINES, fleet.keyOf(await fleet.machine()), {
      spec: { deletion: { nodeDrainTimeoutSeconds: 60 } },
    });
    await fleet.leave();
    for (let turn = 0; turn < 6; turn += 1) {
      assert.equal(await fleet.isLeft(), true, `after ${turn * 10} s`);
      await fleet.advance(10_000);
      await fleet.settle();
    }
    assert.equal(await fleet.isLeft(), false);
    await fleet.end();
  });

  const skips: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    [
      'an annotation says so',
      { 'machine.cluster.x-k8s.io/exclude-node-draining': '' },
      'True WaitingForInfrastructureDeletion',
    ],
    ['a hook comes before', { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/x': '' }, 'True WaitingForPreDrainHook'],
  ];
  for (const [story, annotations, expected] of skips) {
    it(`is not drained when ${story}`, async () => {
      const fleet = await startLeaving(annotations);
      await fleet.leave();
      assert.equal(await fleet.deleting(), expected);
      assert.equal((await fleet.all(PODS))[0]?.metadata.deletionTimestamp, undefined);
      await fleet.end();
    });
  }

  it('is not drained when somebody deleted its infrastructure before', async () => {
    const fleet = await startLeaving();
    await fleet.remove(INFRASTRUCTURE_MACHINES, fleet.keyOf(await fleet.machine()));
    await fleet.leave();
    assert.equal(await fleet.deleting(), 'True WaitingForInfrastructureDeletion');
    assert.equal((await fleet.all(PODS))[0]?.metadata.deletionTimestamp, undefined);
    await fleet.end();
  });

  it('keeps its infrastructure until the last pre-terminate hook is gone', async () => {
    const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup';
    const fleet = await startLeaving({ [hook]: '' });
    await fleet.leave();
    await fleet.endPod();
    await fleet.lookAgain();
    assert.equal(await fleet.deleting(), 'True WaitingForPreTerminateHook');
    assert.equal(await fleet.isLeft(), true);
    await fleet.patch(MACHINES, fleet.keyOf(await fleet.machine()), { metadata: { annotations: { [hook]: null } } });
    assert.equal(await fleet.isLeft(), false);
    await fleet.end();
  });

  it('is neither drained nor parted from its Node when its whole Cluster goes', async () => {
    const fleet = await startLeaving();
    await fleet.remove(CLUSTERS, CLUSTER.metadata);
    assert.equal(await fleet.isLeft(), false);
    assert.equal((await fleet.all(NODES))[0]?.spec?.unschedulable, undefined);
    await fleet.patch(INFRASTRUCTURE_MACHINES, fleet.keyOf(await fleet.machine()), { metadata: { finalizers: [] } });
    assert.equal((await fleet.all(NODES)).length, 1);
    await fleet.end();
  });
});

describe('a paused', () => {
  const pauses: readonly (readonly [
    string,
    (fleet: Awaited<ReturnType<typeof startFleet>>, isOn: boolean) => Promise<void>,
  ])[] = [
    ['Cluster', (fleet, isOn) => fleet.patch(CLUSTERS, CLUSTER.metadata, { spec: { paused: isOn } })],
    [
      'Machine',
      async (fleet, isOn) =>
        fleet.patch(MACHINES, fleet.keyOf(await fleet.machine()), {
          metadata: { annotations: { 'cluster.x-k8s.io/paused': isOn ? '' : null } },
        }),
    ],
  ];
  for (const [what, pause] of pauses) {
    it(`${what} stands still, also in deletion, and goes on afterwards`, async () => {
      const fleet = await startFleet(1);
      await pause(fleet, true);
      assert.equal(await fleet.condition('Paused'), 'True Paused');
      await fleet.provision('p://1');
      assert.equal((await fleet.machine()).spec.providerID, undefined);
      await fleet.remove(MACHINES, fleet.keyOf(await fleet.machine()));
      const [infrastructure] = await fleet.all(INFRASTRUCTURE_MACHINES);
      assert.equal(infrastructure?.metadata.deletionTimestamp, undefined);
      await pause(fleet, false);
      const [leaving] = await fleet.all(INFRASTRUCTURE_MACHINES);
      assert.ok(leaving?.metadata.deletionTimestamp);
      assert.equal(await fleet.condition('Paused'), 'False NotPaused');
      await fleet.end();
    });
  }
});

describe('a Cluster', () => {
  it('tells what its parts say, owns them, and takes over the endpoint', async () => {
    const fleet = await startFleet(0);
    const endpoint = { host: 'api.example', port: 6443 };
    await fleet.patch(INFRASTRUCTURE_CLUSTERS, CLUSTER.metadata, { spec: { controlPlaneEndpoint: endpoint } });
    const [found] = await fleet.all(CLUSTERS);
    assert.deepEqual(found?.status?.initialization, { infrastructureProvisioned: true, controlPlaneInitialized: true });
    assert.deepEqual(found?.spec.controlPlaneEndpoint, endpoint);
    for (const resource of [INFRASTRUCTURE_CLUSTERS, CONTROL_PLANES]) {
      const [part] = await fleet.all(resource);
      assert.deepEqual(part?.metadata.ownerReferences, [
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'fleet', uid: found?.metadata.uid },
      ]);
      assert.equal(part?.metadata.labels?.['cluster.x-k8s.io/cluster-name'], 'fleet');
    }
    await fleet.patch(INFRASTRUCTURE_CLUSTERS, CLUSTER.metadata, { spec: { controlPlaneEndpoint: { host: 'other' } } });
    assert.deepEqual((await fleet.all(CLUSTERS))[0]?.spec.controlPlaneEndpoint, endpoint, 'it is taken over once');
    await fleet.end();
  });

  it('says that it has no ClusterClass here', async () => {
    const fleet = await startFleet(0);
    await fleet.patch(CLUSTERS, CLUSTER.metadata, { spec: { topology: { classRef: { name: 'c' } } } });
    const [found] = await fleet.all(CLUSTERS);
    const told = found?.status?.conditions?.find(({ type }) => type === 'TopologyReconciled');
    assert.deepEqual([told?.status, told?.reason], ['False', 'NotSupported']);
    assert.equal((await fleet.all(EVENTS)).filter(({ reason }) => reason === 'NotSupported').length, 1);
    await fleet.end();
  });

  it('is deleted after its Machines and with all that is its own', async () => {
    const fleet = await startFleet(1);
    await fleet.provision('p://1');
    const key = fleet.keyOf(await fleet.machine());
    await fleet.remove(CLUSTERS, CLUSTER.metadata);
    assert.equal((await fleet.all(CONTROL_PLANES)).length, 1, 'the control plane goes after the Machines');
    await fleet.patch(INFRASTRUCTURE_MACHINES, key, { metadata: { finalizers: [] } });
    const everything: readonly Resource<KubeObject>[] = [
      ...[CLUSTERS, CONTROL_PLANES, MACHINE_DEPLOYMENTS, MACHINE_SETS, MACHINES],
    ];
    for (const resource of everything) assert.deepEqual(await fleet.all(resource), [], resource.kind);
    assert.deepEqual(fleet.problems, []);
    await fleet.end();
  });
});
