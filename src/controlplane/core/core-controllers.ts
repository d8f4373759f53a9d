/**
 * The controllers every cluster has, for the embedded control plane. They speak to any API through the client; the caller
 * runs them in one manager, without an election.
 */
import type { Clock } from '../../base/clock.ts';
import { type Cache, createCache } from '../../kube/cache/cache.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import { CONFIG_MAPS, type ConfigMap, SECRETS, type Secret } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { Authority } from '../../pki/authority.ts';
import { renderCertificate } from '../../pki/certificate.ts';
import { type CacheDeps, type ClusterCaches, createClusterCaches, followAllKinds } from './cluster-caches.ts';
import { type ControllerSet, type ControllerSetDeps, createStaff, type Staff } from './controller-set.ts';
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
import { createJobExpiry } from './workloads/job-expiry.ts';
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
  const { shared, collected = [], authority, ...given } = options;
  const { clientFor: _clientFor, ids: _ids, pace, ...deps } = given;
  const { cluster, kinds } = shared ?? createSharedCaches(deps);
  for (const resource of collected) kinds.follow(resource);
  const tokens = createCache<Secret>({ ...deps, resource: SECRETS, ...TOKEN_SELECTION, transform: keepExpiration });
  const { employ, events } = createStaff(given);
  const paced = pace && { silentAfterMs: pace.nodeSilentAfterMs, looksMostMs: pace.namespaceLooksMostMs };
  const parts = { ...cluster, kinds, tokens, clock: given.clock, ...paced };
  const signing = authority === undefined ? NO_SIGNING : createSigning(deps, { cluster, authority, employ });
  return {
    caches: [...(shared === undefined ? [...Object.values(cluster), kinds] : []), tokens, ...signing.caches],
    controllers: [...createWorkloads(parts, employ), ...createHousekeeping(parts, employ), ...signing.controllers],
    events,
  };
};

type Employ = Staff['employ'];

interface Parts extends ClusterCaches {
  readonly kinds: FollowedKinds;
  readonly tokens: Cache<Secret>;
  readonly clock: Clock;
}

const createWorkloads = (parts: Parts, employ: Employ): readonly Controller[] => [
  employ({ account: 'scheduler', component: 'default-scheduler' }, (events) => createScheduler({ ...parts, events })),
  employ({ account: 'job-controller' }, (events) => createJobController({ ...parts, events })),
  employ({ account: 'ttl-after-finished-controller' }, () => createJobExpiry(parts)),
  employ({ account: 'replicaset-controller' }, (events) => createReplicaSetController({ ...parts, events })),
  employ({ account: 'deployment-controller' }, (events) => createDeploymentController({ ...parts, events })),
  employ({ account: 'disruption-controller' }, () => createBudgetController(parts)),
  employ({ account: 'node-controller' }, (events) => createNodeLifecycle({ ...parts, events })),
  employ({ account: 'node-controller', component: 'taint-eviction-controller' }, (events) =>
    createTaintEviction({ ...parts, events }),
  ),
];

const createHousekeeping = (parts: Parts, employ: Employ): readonly Controller[] => [
  employ({ account: 'pod-garbage-collector' }, () => createPodGarbage(parts)),
  employ({ account: 'namespace-controller' }, () => createNamespaceController(parts)),
  employ({ account: 'service-account-controller' }, () => createServiceAccounts(parts)),
  employ({ account: 'clusterrole-aggregation-controller' }, () => createRoleAggregation(parts)),
  employ({ account: 'certificate-controller' }, () => createCsrApprover(parts)),
  employ({ account: 'certificate-controller' }, () => createCsrCleaner(parts)),
  employ({ account: 'token-cleaner' }, () => createTokenCleaner(parts)),
  employ({ account: 'generic-garbage-collector', component: 'garbage-collector-controller' }, (events) =>
    createGarbageCollector({ ...parts, events }),
  ),
];

interface Signing {
  readonly caches: readonly AnyCache[];
  readonly controllers: readonly Controller[];
}

const NO_SIGNING: Signing = { caches: [], controllers: [] };

/** What needs the authority. */
const createSigning = (
  deps: CacheDeps,
  {
    cluster,
    authority,
    employ,
  }: { readonly cluster: ClusterCaches; readonly authority: Authority; readonly employ: Employ },
): Signing => {
  const fieldSelector = `metadata.name=${ROOT_CA_NAME}`;
  const rootCas = createCache<ConfigMap>({ ...deps, resource: CONFIG_MAPS, fieldSelector });
  const rootCertificate = renderCertificate(authority.certificate);
  const random = deps.random.stream('csr-signer');
  return {
    caches: [rootCas],
    controllers: [
      employ({ account: 'certificate-controller' }, () =>
        createCsrSigner({ requests: cluster.requests, authority, random }),
      ),
      employ({ account: 'root-ca-cert-publisher' }, () =>
        createRootCaPublisher({ namespaces: cluster.namespaces, rootCas, rootCertificate }),
      ),
    ],
  };
};

const createSharedCaches = (deps: CacheDeps): SharedCaches => {
  const cluster = createClusterCaches(deps);
  const kinds = followAllKinds(deps, { known: Object.values(cluster), definitions: cluster.definitions });
  return { cluster, kinds };
};
