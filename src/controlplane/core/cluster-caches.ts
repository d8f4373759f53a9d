/**
 * What the embedded controllers know of a cluster: one cache per kind for the whole process, however many controllers
 * read it. Kinds whose content nobody reads are followed by their metadata alone (followed-kinds.ts).
 */
import { type Cache, createCache, createLeanKeeping } from '../../kube/cache/cache.ts';
import type { IndexFunction } from '../../kube/cache/object-store.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../kube/types/certificates.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { LEASES, type Lease } from '../../kube/types/coordination.ts';
import {
  CONFIG_MAPS,
  NAMESPACES,
  type Namespace,
  NODES,
  type Node,
  PODS,
  SECRETS,
  SERVICE_ACCOUNTS,
  type ServiceAccount,
} from '../../kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, type CustomResourceDefinition } from '../../kube/types/extensions.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { createSpecSharing } from '../store/share-spec.ts';
import type { ControllerSetDeps } from './controller-set.ts';
import { keepNamesOnly, servedResource } from './custom-resources.ts';
import { type AnyCache, createFollowedKinds, type FollowedKinds } from './followed-kinds.ts';
import { CLUSTER_ROLES, type ClusterRole } from './identity/role-aggregation.ts';
import { byControllerUid, byOwnerUid } from './owner-references.ts';
import type { SchedulablePod } from './scheduling/schedulable.ts';
import { SCHEDULER_INDEXES } from './scheduling/scheduler.ts';
import { subjectOf } from './watch-related.ts';
import { JOBS, type Job } from './workloads/job.ts';
import { JOB_INDEXES } from './workloads/job-controller.ts';
import {
  DEPLOYMENTS,
  type Deployment,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  REPLICA_SETS,
  type ReplicaSet,
} from './workloads/replicated.ts';

/** All have index `owner` (UIDs of owners); those of namespaced kinds also `namespace`. */
export interface ClusterCaches {
  readonly namespaces: Cache<Namespace>;
  /** Also with index `providerID`. */
  readonly nodes: Cache<Node>;
  readonly leases: Cache<Lease>;
  /** Also with the indexes of scheduler and Jobs. */
  readonly pods: Cache<SchedulablePod>;
  readonly jobs: Cache<Job>;
  readonly replicaSets: Cache<ReplicaSet>;
  readonly deployments: Cache<Deployment>;
  readonly budgets: Cache<PodDisruptionBudget>;
  readonly definitions: Cache<CustomResourceDefinition>;
  readonly serviceAccounts: Cache<ServiceAccount>;
  readonly requests: Cache<CertificateSigningRequest>;
  readonly roles: Cache<ClusterRole>;
}

export type CacheDeps = Omit<ControllerSetDeps, 'ids' | 'clientFor'>;

const byNamespace = ({ metadata }: KubeObject): readonly string[] =>
  metadata.namespace === undefined ? [] : [metadata.namespace];

/** A cache with what every one here has. */
const createSharedCache = <T extends KubeObject>(
  deps: CacheDeps,
  resource: Resource<T>,
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): Cache<T> => {
  const [keep, shareSpec] = [createLeanKeeping(), createSpecSharing()];
  return createCache<T>({
    ...{ ...deps, resource, transform: (object) => shareSpec(keep(object)) },
    indexes: { owner: byOwnerUid, namespace: byNamespace, ...indexes },
  });
};

export const byProviderId = ({ spec }: { readonly spec?: { readonly providerID?: string } }): readonly string[] =>
  spec?.providerID === undefined || spec.providerID === '' ? [] : [spec.providerID];

export const createClusterCaches = (deps: CacheDeps): ClusterCaches => ({
  namespaces: createSharedCache(deps, NAMESPACES),
  nodes: createSharedCache(deps, NODES, { providerID: byProviderId }),
  leases: createSharedCache(deps, LEASES),
  pods: createSharedCache<SchedulablePod>(deps, PODS, { ...SCHEDULER_INDEXES, ...JOB_INDEXES }),
  jobs: createSharedCache(deps, JOBS),
  replicaSets: createSharedCache(deps, REPLICA_SETS, { controller: byControllerUid }),
  deployments: createSharedCache(deps, DEPLOYMENTS),
  budgets: createSharedCache(deps, POD_DISRUPTION_BUDGETS),
  serviceAccounts: createSharedCache(deps, SERVICE_ACCOUNTS),
  requests: createSharedCache(deps, CERTIFICATE_SIGNING_REQUESTS),
  roles: createSharedCache(deps, CLUSTER_ROLES),
  definitions: createCache({
    ...{ ...deps, resource: CUSTOM_RESOURCE_DEFINITIONS, transform: keepNamesOnly },
    indexes: { owner: byOwnerUid },
  }),
});

/** Kinds whose objects own or are owned, and of which nobody here reads more than that. */
const OWNING: readonly Resource<KubeObject>[] = [...[SECRETS, CONFIG_MAPS], ...Object.values(CLUSTER_API_RESOURCES)];

/** All kinds whose objects may be owners or dependents: those given, those of CRDs as they come, and a few more. */
export const followAllKinds = (
  deps: CacheDeps,
  {
    known,
    definitions,
  }: { readonly known: readonly AnyCache[]; readonly definitions: Cache<CustomResourceDefinition> },
): FollowedKinds => {
  const kinds = createFollowedKinds({ ...deps, known });
  for (const resource of OWNING) kinds.follow(resource);
  definitions.subscribe((change) => {
    const resource = servedResource(subjectOf(change));
    if (resource === undefined) return;
    if (change.type === 'deleted') kinds.forget(resource);
    else kinds.follow(resource);
  });
  return kinds;
};
