/**
 * Cluster API core for the embedded control plane, small: Clusters, MachineDeployments, MachineSets and Machines. They
 * speak to any API through the client; the caller runs them in one manager, without an election.
 */
import type { Change } from '../../kube/cache/object-store.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import type { Node } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { type CacheDeps, type ClusterCaches, createClusterCaches, followAllKinds } from '../core/cluster-caches.ts';
import { type ControllerSet, type ControllerSetDeps, createStaff } from '../core/controller-set.ts';
import type { FollowedKinds } from '../core/followed-kinds.ts';
import { subjectOf } from '../core/watch-related.ts';
import { createClusterController } from './cluster-controller.ts';
import { type CoreView, clusterKeyOf } from './core-view.ts';
import { createMachineCaches, type MachineCaches, renderReference } from './machine-caches.ts';
import { createMachineController } from './machine-controller.ts';
import { createMachineDeploymentController } from './machine-deployment-controller.ts';
import type { Machine } from './machine-kinds.ts';
import { createMachineSetController } from './machine-set-controller.ts';
import { createRemoteClusters, type OpenRemote } from './remote/remote-clusters.ts';

export interface CapiShared {
  readonly cluster: Pick<ClusterCaches, 'definitions'>;
  readonly machine: MachineCaches;
  readonly kinds: FollowedKinds;
}

export interface CapiControllerDeps extends ControllerSetDeps {
  /** How the cluster is reached that a Cluster's Machines join. */
  readonly openRemote: OpenRemote;
  /** Run by whoever made them; without any this set makes and runs its own. */
  readonly shared?: CapiShared;
}

export const createCapiControllers = ({ shared, openRemote, ...given }: CapiControllerDeps): ControllerSet => {
  const { clientFor: _clientFor, ids, pace, ...deps } = given;
  const { cluster, machine, kinds } = shared ?? createCapiShared(deps);
  const remotes = createRemoteClusters(deps, {
    ...{ clusters: machine.clusters, openRemote },
    ...(pace && { probeEveryMs: pace.remoteProbeMs }),
  });
  const { employ, events: told } = createStaff(given);
  const hire = (component: string, create: (view: CoreView) => Controller): Controller =>
    employ({ account: 'cluster-api', component }, (events) =>
      create({ ...cluster, ...machine, contracts: kinds, remotes, events, ids }),
    );
  const machines = hire('machine-controller', createMachineController);
  const clusters = hire('cluster-controller', createClusterController);
  const sets = hire('machineset-controller', createMachineSetController);
  kinds.subscribe((cache, change) => {
    const { metadata } = subjectOf(change);
    const keys = referrersOf(machine, cache.resource, metadata);
    for (const key of keys.machines) machines.wake(key);
    for (const key of keys.clusters) clusters.wake(key);
    for (const key of keys.sets) sets.wake(key);
  });
  remotes.subscribe({
    reached: machines.wake,
    nodeChanged: (clusterKey, change) => {
      for (const key of keysOf(machinesOf(machine, clusterKey, change))) machines.wake(key);
    },
    stateChanged: (clusterKey) => {
      clusters.wake(clusterKey);
      for (const key of keysOf(machine.machines.byIndex('cluster', clusterKey))) machines.wake(key);
    },
  });
  const own = shared === undefined ? [...Object.values(cluster), ...Object.values(machine), kinds] : [];
  return {
    caches: [...own, ...remotes.caches],
    controllers: [
      ...[clusters, hire('machinedeployment-controller', createMachineDeploymentController)],
      ...[sets, machines],
      employ({ account: 'cluster-api' }, () => remotes.controller),
    ],
    events: told,
  };
};

const createCapiShared = (deps: CacheDeps): CapiShared => {
  const { definitions } = createClusterCaches(deps);
  const machine = createMachineCaches(deps);
  const known = [definitions, ...Object.values(machine)];
  return { cluster: { definitions }, machine, kinds: followAllKinds(deps, { known, definitions }) };
};

const keysOf = (objects: readonly KubeObject[]): readonly string[] => objects.map((object) => renderKey(keyOf(object)));

/** Whose Node it is or was, among the Machines of that Cluster. */
const machinesOf = (
  { machines }: Pick<CoreView, 'machines'>,
  clusterKey: string,
  change: Change<Node>,
): readonly Machine[] => {
  const before = change.type === 'added' ? undefined : change.old.spec?.providerID;
  const after = change.type === 'deleted' ? undefined : change.object.spec?.providerID;
  return [...new Set([before, after])]
    .flatMap((providerId) => (providerId === undefined ? [] : machines.byIndex('providerID', providerId)))
    .filter((machine) => clusterKeyOf(machine) === clusterKey);
};

/** Who waits for an object of a provider: those that refer to it, as theirs or as what they clone. */
const referrersOf = (
  { machines, machineSets, clusters }: MachineCaches,
  { group, kind }: Resource<KubeObject>,
  { namespace, name }: KubeObject['metadata'],
) => {
  const reference = renderReference(namespace, { apiGroup: group, kind, name });
  return {
    machines: keysOf(machines.byIndex('reference', reference)),
    sets: keysOf(machineSets.byIndex('reference', reference)),
    clusters: keysOf(clusters.byIndex('reference', reference)),
  };
};
