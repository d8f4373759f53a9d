/**
 * The controllers every cluster has, for the embedded control plane. They speak to any API through the client; the caller
 * runs them in one manager, without an election.
 */
import { neverAborted } from '../../base/abort.ts';
import { createCache } from '../../kube/cache/cache.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import { createEventRecorder } from '../../kube/controller/events.ts';
import { CONFIG_MAPS, type ConfigMap, SECRETS, type Secret } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { Authority } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { type ClusterCaches, createClusterCaches, followAllKinds } from './cluster-caches.ts';
import type { ControllerSet, ControllerSetDeps } from './controller-set.ts';
import type { AnyCache, FollowedKinds } from './followed-kinds.ts';
import { createGarbageCollector } from './garbage/garbage-collector.ts';
import { createCsrApprover, createCsrCleaner, createCsrSigner } from './identity/csr-controllers.ts';
import { createRoleAggregation } from './identity/role-aggregation.ts';
import { createTokenCleaner, keepExpiration, TOKEN_SELECTION } from './identity/token-cleaner.ts';
import { createNamespaceController } from './namespaces/namespace-controller.ts';
import { createRootCaPublisher, createServiceAccounts, ROOT_CA_NAME } from './namespaces/namespace-furniture.ts';
import { createNodeLifecycle } from './nodes/node-lifecycle.ts';
import { createPodGarbage } from './nodes/pod-garbage.ts';
import { createTaintEviction } from './nodes/taint-eviction.ts';
import { createScheduler } from './scheduling/scheduler.ts';
import { createBudgetController } from './workloads/budget-controller.ts';
import { createDeploymentController } from './workloads/deployment-controller.ts';
import { createJobController } from './workloads/job-controller.ts';
import { createReplicaSetController } from './workloads/replica-set-controller.ts';

export interface SharedCaches {
  readonly cluster: ClusterCaches;
  readonly kinds: FollowedKinds;
}

export interface CoreControllerDeps extends ControllerSetDeps {
  /** Run by whoever made them; without any this set makes and runs its own. */
  readonly shared?: SharedCaches;
  /** Kinds without a CRD whose objects are owners or dependents. */
  readonly collected?: readonly Resource<KubeObject>[];
  /** Signs certificates and stands in every namespace. Without one, requests wait for another signer. */
  readonly authority?: Authority;
}

export const createCoreControllers = (options: CoreControllerDeps): ControllerSet => {
  const { ids, shared, collected = [], authority, ...deps } = options;
  const { cluster, kinds } = shared ?? createSharedCaches(deps);
  for (const resource of collected) kinds.follow(resource);
  const events = createEventRecorder({ ...deps, ids, component: 'controlplane', signal: neverAborted() });
  const tokens = createCache<Secret>({ ...deps, resource: SECRETS, ...TOKEN_SELECTION, transform: keepExpiration });
  const parts = { ...cluster, kinds, events, tokens };
  const signing = authority === undefined ? NO_SIGNING : createSigning(deps, { cluster, authority });
  return {
    caches: [...(shared === undefined ? [...Object.values(cluster), kinds] : []), tokens, ...signing.caches],
    controllers: [
      ...[createScheduler(parts), createJobController(parts), createReplicaSetController(parts)],
      ...[createDeploymentController(parts), createBudgetController(parts)],
      ...[createNodeLifecycle(parts), createTaintEviction(parts), createPodGarbage(parts)],
      ...[createNamespaceController(parts), createServiceAccounts(parts), createRoleAggregation(parts)],
      ...[createCsrApprover(parts), createCsrCleaner(parts), createTokenCleaner(parts)],
      ...[createGarbageCollector(parts), ...signing.controllers],
    ],
    events,
  };
};

interface Signing {
  readonly caches: readonly AnyCache[];
  readonly controllers: readonly Controller[];
}

const NO_SIGNING: Signing = { caches: [], controllers: [] };

/** What needs the authority. */
const createSigning = (
  deps: Omit<ControllerSetDeps, 'ids'>,
  { cluster, authority }: { readonly cluster: ClusterCaches; readonly authority: Authority },
): Signing => {
  const fieldSelector = `metadata.name=${ROOT_CA_NAME}`;
  const rootCas = createCache<ConfigMap>({ ...deps, resource: CONFIG_MAPS, fieldSelector });
  const rootCertificate = renderCertificate(authority.certificate);
  const random = deps.random.stream('csr-signer');
  return {
    caches: [rootCas],
    controllers: [
      createCsrSigner({ requests: cluster.requests, authority, random }),
      createRootCaPublisher({ namespaces: cluster.namespaces, rootCas, rootCertificate }),
    ],
  };
};

const createSharedCaches = (deps: Omit<ControllerSetDeps, 'ids'>): SharedCaches => {
  const cluster = createClusterCaches(deps);
  const kinds = followAllKinds(deps, { known: Object.values(cluster), definitions: cluster.definitions });
  return { cluster, kinds };
};
