/** What the machine controllers share: their caches, watches on providers' kinds, and how they are paused. */
import type { Ids } from '../../base/ids.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { type Watch, watchMapped } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import type { Lifecycle, Step } from '../../kube/controller/lifecycle.ts';
import { done, type Reconciled, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_ANNOTATIONS } from '../../kube/types/cluster-api.ts';
import type { CustomResourceDefinition } from '../../kube/types/extensions.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { FollowedKinds } from '../core/followed-kinds.ts';
import { subjectOf } from '../core/watch-related.ts';
import type { Cluster, Machine, MachineDeployment, MachineSet } from './machine-kinds.ts';
import type { RemoteClusters } from './remote/remote-clusters.ts';

/**
 * Machines, sets and deployments have index `cluster` (namespace/name); machines and sets `controller` (UID); machines
 * also `providerID`.
 */
export interface CoreView {
  readonly definitions: Cache<CustomResourceDefinition>;
  readonly clusters: Cache<Cluster>;
  readonly machineDeployments: Cache<MachineDeployment>;
  readonly machineSets: Cache<MachineSet>;
  readonly machines: Cache<Machine>;
  /** The clusters that Machines join: there are the Nodes, and the Pods on them. */
  readonly remotes: Pick<RemoteClusters, 'look'>;
  readonly contracts: Pick<FollowedKinds, 'follow'>;
  readonly events: EventRecorder;
  readonly ids: Pick<Ids, 'suffix'>;
}

/** Something that belongs to a Cluster. */
export interface ClusterMember extends Reconciled {
  readonly spec: { readonly clusterName: string };
}

export const clusterKeyOf = ({ metadata, spec }: ClusterMember): string => `${metadata.namespace}/${spec.clusterName}`;

export const byCluster = (member: ClusterMember): readonly string[] => [clusterKeyOf(member)];

/** Wakes the members of a Cluster when it changes. */
export const watchClusterOf = (
  { clusters }: Pick<CoreView, 'clusters'>,
  members: Pick<Cache<ClusterMember>, 'byIndex'>,
): Watch =>
  watchMapped(clusters, (change) => {
    const cluster = subjectOf(change);
    return members.byIndex('cluster', renderKey(keyOf(cluster))).map((member) => renderKey(keyOf(member)));
  });

/** Leaves an object alone, in life and in deletion, while it or its Cluster is paused. */
export const pauseGate =
  <T extends Reconciled>(clusterOf: (object: T) => Cluster | undefined): NonNullable<Lifecycle<T>['gate']> =>
  async (object) => {
    const causes = [
      ...(clusterOf(object)?.spec.paused === true ? ['Cluster spec.paused is set to true'] : []),
      ...(object.metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined
        ? [`the object has the annotation ${CLUSTER_API_ANNOTATIONS.paused}`]
        : []),
    ];
    if (causes.length === 0) return undefined;
    return stop<T>({ condition: { type: 'Paused', status: 'True', reason: 'Paused', message: causes.join(', ') } });
  };

/** The first step of a life that is not paused (any more). */
export const notPaused = <T extends Reconciled>(): Step<T> => ({
  name: 'not paused',
  condition: 'Paused',
  run: async () => done<T>({ condition: { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' } }),
});
