/**
 * Cluster API core for the embedded control plane, small: Clusters, MachineDeployments, MachineSets and Machines. They
 * speak to any API through the client; the caller runs them in one manager, without an election.
 */
import { neverAborted } from '../../base/abort.ts';
import { createEventRecorder } from '../../kube/controller/events.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { type ClusterCaches, createClusterCaches, followAllKinds } from '../core/cluster-caches.ts';
import type { ControllerSet, ControllerSetDeps } from '../core/controller-set.ts';
import type { FollowedKinds } from '../core/followed-kinds.ts';
import { createClusterController } from './cluster-controller.ts';
import type { CoreView } from './core-view.ts';
import { createMachineCaches, type MachineCaches, renderReference } from './machine-caches.ts';
import { createMachineController } from './machine-controller.ts';
import { createMachineDeploymentController } from './machine-deployment-controller.ts';
import { createMachineSetController } from './machine-set-controller.ts';

export interface CapiShared {
  readonly cluster: Pick<ClusterCaches, 'nodes' | 'pods' | 'budgets' | 'definitions'>;
  readonly machine: MachineCaches;
  readonly kinds: FollowedKinds;
}

export interface CapiControllerDeps extends ControllerSetDeps {
  /** Run by whoever made them; without any this set makes and runs its own. */
  readonly shared?: CapiShared;
}

export const createCapiControllers = ({ ids, shared, ...deps }: CapiControllerDeps): ControllerSet => {
  const { cluster, machine, kinds } = shared ?? createCapiShared(deps);
  const view: CoreView = {
    ...{ ...cluster, ...machine },
    contracts: kinds,
    events: createEventRecorder({ ...deps, ids, component: 'cluster-api-core', signal: neverAborted() }),
  };
  const machines = createMachineController(view);
  const clusters = createClusterController(view);
  kinds.subscribe((cache, change) => {
    const { metadata } = change.type === 'deleted' ? change.old : change.object;
    const keys = referrersOf(view, cache.resource, metadata);
    for (const key of keys.machines) machines.wake(key);
    for (const key of keys.clusters) clusters.wake(key);
  });
  return {
    caches: shared === undefined ? [...Object.values(cluster), ...Object.values(machine), kinds] : [],
    controllers: [clusters, createMachineDeploymentController(view), createMachineSetController(view), machines],
    events: view.events,
  };
};

const createCapiShared = (deps: Omit<ControllerSetDeps, 'ids'>): CapiShared => {
  const { nodes, pods, budgets, definitions } = createClusterCaches(deps);
  const machine = createMachineCaches(deps);
  const cluster = { nodes, pods, budgets, definitions };
  const known = [...Object.values(cluster), ...Object.values(machine)];
  return { cluster, machine, kinds: followAllKinds(deps, { known, definitions }) };
};

/** Who waits for an object of a provider: those that refer to it, and Machines that are to be cloned from it. */
const referrersOf = (
  { machines, machineSets, clusters }: CoreView,
  { group, kind }: Resource<KubeObject>,
  { namespace, name }: KubeObject['metadata'],
) => {
  const reference = renderReference(namespace, { apiGroup: group, kind, name });
  const keysOf = (objects: readonly KubeObject[]): readonly string[] =>
    objects.map((object) => renderKey(keyOf(object)));
  const cloned = machineSets
    .byIndex('reference', reference)
    .flatMap((set) => machines.byIndex('controller', set.metadata.uid ?? ''));
  return {
    machines: keysOf([...machines.byIndex('reference', reference), ...cloned]),
    clusters: keysOf(clusters.byIndex('reference', reference)),
  };
};
