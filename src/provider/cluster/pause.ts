/** Whether people have frozen an object: by an annotation of its own, or with its whole Cluster (001-2). */
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { readIfThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { ConditionReport } from '../../kube/controller/outcome.ts';
import {
  CLUSTER_API_ANNOTATIONS,
  CLUSTER_API_LABELS,
  CLUSTER_API_RESOURCES,
  type ClusterApiCluster,
} from '../../kube/types/cluster-api.ts';
import type { KubeObject } from '../../kube/types/meta.ts';

/** The Cluster that an object belongs to: told by its label, or by the owner that core gave it. */
export const clusterNameOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.[CLUSTER_API_LABELS.clusterName] ??
  metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name;

export const clusterOf = (clusters: Cache<ClusterApiCluster>, object: KubeObject): ClusterApiCluster | undefined => {
  const name = clusterNameOf(object);
  return name === undefined ? undefined : clusters.get(`${object.metadata.namespace}/${name}`);
};

export const isFrozen = (object: KubeObject, cluster: ClusterApiCluster | undefined): boolean =>
  object.metadata.annotations?.[CLUSTER_API_ANNOTATIONS.paused] !== undefined || cluster?.spec.paused === true;

export const isPaused = (clusters: Cache<ClusterApiCluster>, object: KubeObject): boolean =>
  isFrozen(object, clusterOf(clusters, object));

/** The same of an object that was read just now: as the API has its Cluster. */
export const isPausedNow = async (
  object: KubeObject,
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<boolean> => {
  const { namespace = '' } = object.metadata;
  const name = clusterNameOf(object);
  const cluster = name && (await readIfThere(CLUSTER_API_RESOURCES.clusters, { namespace, name }, context));
  return isFrozen(object, cluster || undefined);
};

/** The contract's condition, the same for all our kinds. */
export const reportPause = (status: 'True' | 'False'): ConditionReport => {
  const { paused, notPaused } = REASONS.cluster.paused;
  return { type: CONDITIONS.cluster.paused, status, reason: status === 'True' ? paused : notPaused, message: '' };
};
