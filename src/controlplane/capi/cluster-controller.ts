/**
 * Clusters: how far the provider is with infrastructure and control plane, told on the Cluster; on deletion first what
 * stands on them, then they. Not here: topologies, and making kubeconfigs.
 */
import { toTimestamp } from '../../base/clock.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { referTo } from '../core/owner-references.ts';
import { awaitEnd, removeAll } from './awaited-end.ts';
import { type ContractObject, type ContractReference, resolveResource } from './contract-objects.ts';
import { type ClusterMember, type CoreView, clusterKeyOf, notPaused, pauseGate } from './core-view.ts';
import { type Cluster, CORE_FINALIZERS } from './machine-kinds.ts';

const { clusters: CLUSTERS, machineDeployments, machineSets, machines } = CLUSTER_API_RESOURCES;

export const createClusterController = (view: CoreView): Controller =>
  createController({
    name: 'clusters',
    watches: [
      watchPrimary(view.clusters),
      // A Cluster that is being deleted waits for the last of these.
      ...[view.machineDeployments, view.machineSets, view.machines].map((cache) =>
        watchMapped<ClusterMember>(cache, (change) => (change.type === 'deleted' ? [clusterKeyOf(change.old)] : [])),
      ),
    ],
    reconcile: reconcileLifecycle<Cluster>({
      cache: view.clusters,
      events: view.events,
      finalizer: CORE_FINALIZERS.cluster,
      gate: pauseGate((cluster) => cluster),
      up: [
        notPaused(),
        notDeleting,
        refuseTopology,
        followInfrastructure(view),
        followControlPlane(view),
        tellConnection(view),
      ],
      down: [
        notPaused(),
        removeMembers(view),
        removePart(view, 'controlPlaneRef'),
        removePart(view, 'infrastructureRef'),
      ],
    }),
  });

const notDeleting: Step<Cluster> = {
  name: 'not deleting',
  condition: 'Deleting',
  run: async () => done({ condition: { type: 'Deleting', status: 'False', reason: 'NotDeleting', message: '' } }),
};

/** A ClusterClass would make Machines that nobody here makes: that is told, and the rest of the Cluster goes on. */
const refuseTopology: Step<Cluster> = {
  name: 'topology',
  condition: 'TopologyReconciled',
  run: async ({ spec }) => {
    if (spec.topology === undefined) return done();
    const message = 'the embedded control plane does not support ClusterClass: remove spec.topology';
    return done<Cluster>({
      condition: { type: 'TopologyReconciled', status: 'False', reason: 'NotSupported', message },
      events: [{ type: 'Warning', reason: 'NotSupported', message }],
    });
  },
};

interface Part {
  readonly resource: Resource<ContractObject>;
  readonly followed: Pick<Cache<KubeObject>, 'get'>;
  readonly found: ContractObject | undefined;
}

const readPart = async (
  view: CoreView,
  { metadata }: Cluster,
  { reference, context }: { readonly reference: ContractReference; readonly context: ReconcileContext },
): Promise<Part> => {
  const resource: Resource<ContractObject> = resolveResource(view.definitions.list(), reference);
  const followed = view.contracts.follow(resource);
  const key = { namespace: metadata.namespace ?? '', name: reference.name };
  return { resource, followed, found: await readIfThere(resource, key, context) };
};

const missing = (condition: string, { kind }: ContractReference): StepResult<Cluster> =>
  stop<Cluster>({
    status: { phase: 'Pending' },
    condition: { type: condition, status: 'False', reason: 'ObjectDoesNotExist', message: `${kind} does not exist` },
  });

/** Without a reference there is nothing to wait for, as in Cluster API. */
const followInfrastructure = (view: CoreView): Step<Cluster> => ({
  name: 'infrastructure',
  condition: 'InfrastructureReady',
  run: async (cluster, context) => {
    const reference = cluster.spec.infrastructureRef;
    const initialization = { ...cluster.status?.initialization, infrastructureProvisioned: true };
    const condition = { type: 'InfrastructureReady', status: 'True', reason: 'Ready', message: '' } as const;
    if (reference === undefined) return done<Cluster>({ status: { initialization }, condition });
    const { resource, found } = await readPart(view, cluster, { reference, context });
    if (found === undefined) return missing('InfrastructureReady', reference);
    await adopt(cluster, { resource, found }, context);
    const isProvisioned = found.status?.initialization?.provisioned === true;
    const endpoint = cluster.spec.controlPlaneEndpoint?.host ? undefined : found.spec?.controlPlaneEndpoint;
    const ready = found.status?.conditions?.find(({ type }) => type === 'Ready');
    const isReady = (ready?.status ?? (isProvisioned ? 'True' : 'False')) === 'True';
    const message = ready?.message || `${resource.kind} is not provisioned`;
    return done<Cluster>({
      ...(endpoint === undefined ? {} : { spec: { controlPlaneEndpoint: endpoint } }),
      status: { phase: isProvisioned ? 'Provisioned' : 'Provisioning', ...(isProvisioned ? { initialization } : {}) },
      condition: isReady ? condition : { ...condition, status: 'False', reason: ready?.reason || 'NotReady', message },
    });
  },
});

const followControlPlane = (view: CoreView): Step<Cluster> => ({
  name: 'control plane',
  condition: 'ControlPlaneInitialized',
  run: async (cluster, context) => {
    const reference = cluster.spec.controlPlaneRef;
    const type = 'ControlPlaneInitialized';
    if (reference === undefined) {
      const message = 'Waiting for the first control plane machine to have status.nodeRef set';
      return done<Cluster>({ condition: { type, status: 'False', reason: 'NotInitialized', message } });
    }
    const { resource, found } = await readPart(view, cluster, { reference, context });
    if (found === undefined) return missing(type, reference);
    await adopt(cluster, { resource, found }, context);
    const wasInitialized = cluster.status?.initialization?.controlPlaneInitialized === true;
    if (!wasInitialized && found.status?.initialization?.controlPlaneInitialized !== true) {
      const message = `${resource.kind} is not initialized`;
      return done<Cluster>({ condition: { type, status: 'False', reason: 'NotInitialized', message } });
    }
    return done<Cluster>({
      status: { initialization: { ...cluster.status?.initialization, controlPlaneInitialized: true } },
      condition: { type, status: 'True', reason: 'Initialized', message: '' },
    });
  },
});

/** For this long without an answer, the cluster counts as reachable. */
const GRACE_MS = 50_000;

/** Whether the cluster that the Machines join can be reached with its kubeconfig. */
const tellConnection = (view: CoreView): Step<Cluster> => ({
  name: 'remote connection',
  condition: 'RemoteConnectionProbe',
  run: async (cluster, { clock }) => {
    const type = 'RemoteConnectionProbe';
    const { remote, problem, lastSuccessMs } = view.remotes.look(renderKey(keyOf(cluster)));
    const leftMs = lastSuccessMs === undefined ? 0 : lastSuccessMs + GRACE_MS - clock.now();
    if (remote === undefined && leftMs <= 0) {
      const told =
        lastSuccessMs === undefined
          ? 'Remote connection not established yet'
          : `Remote connection probe failed, probe last succeeded at ${toTimestamp(lastSuccessMs)}`;
      const message = `${told}: ${problem}`;
      return done<Cluster>({ condition: { type, status: 'False', reason: 'ProbeFailed', message } });
    }
    const condition = { type, status: 'True', reason: 'ProbeSucceeded', message: '' } as const;
    return remote === undefined ? wait<Cluster>(leftMs, { condition }) : done<Cluster>({ condition });
  },
});

/** Makes the Cluster an owner, so that the object's changes wake it and its end is the Cluster's. */
const adopt = async (
  cluster: Cluster,
  { resource, found }: { readonly resource: Resource<ContractObject>; readonly found: ContractObject },
  { kube, signal }: ReconcileContext,
): Promise<void> => {
  const { ownerReferences = [], labels, uid, resourceVersion } = found.metadata;
  const isOwned = ownerReferences.some((owner) => owner.uid === cluster.metadata.uid);
  const clusterName = cluster.metadata.name;
  if (isOwned && labels?.[CLUSTER_API_LABELS.clusterName] === clusterName) return;
  const others = ownerReferences.filter((owner) => owner.uid !== cluster.metadata.uid);
  const metadata = {
    ...{ uid, resourceVersion, labels: { [CLUSTER_API_LABELS.clusterName]: clusterName } },
    ownerReferences: [...others, referTo(CLUSTERS, cluster)],
  };
  await kube.patch(resource, keyOf(found), { type: 'merge', body: { metadata } }, { signal });
};

/** Deployments first; sets and Machines that nobody else takes with them, too. */
const removeMembers = (view: CoreView): Step<Cluster> => ({
  name: 'delete machines',
  condition: 'Deleting',
  run: async (cluster, context) => {
    const key = renderKey(keyOf(cluster));
    const members = [
      { resource: machineDeployments, objects: view.machineDeployments.byIndex('cluster', key) },
      { resource: machineSets, objects: view.machineSets.byIndex('cluster', key) },
      { resource: machines, objects: view.machines.byIndex('cluster', key) },
    ];
    const first = members.find(({ objects }) => objects.length > 0);
    if (first === undefined) return done();
    await removeAll(first.resource, first.objects, context);
    const message = `waiting for ${first.objects.length} ${first.resource.plural}`;
    return stop<Cluster>({
      status: { phase: 'Deleting' },
      condition: { type: 'Deleting', status: 'True', reason: 'WaitingForWorkersDeletion', message },
    });
  },
});

const removePart = (view: CoreView, field: 'infrastructureRef' | 'controlPlaneRef'): Step<Cluster> => ({
  name: `delete ${field}`,
  condition: 'Deleting',
  run: async (cluster, context) => {
    const reference = cluster.spec[field];
    if (reference === undefined) return done();
    const { resource, followed, found } = await readPart(view, cluster, { reference, context });
    if (found === undefined) return done();
    await removeAll(resource, [found], context);
    const message = `waiting for ${reference.kind} ${reference.name}`;
    return awaitEnd<Cluster>(followed, found, {
      status: { phase: 'Deleting' },
      condition: { type: 'Deleting', status: 'True', reason: 'WaitingForDeletion', message },
    });
  },
});
