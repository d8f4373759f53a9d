/**
 * The controllers every cluster has, for the embedded control plane: scheduler, Jobs, silent Nodes, garbage collection. They speak to
 * any API through the client; the caller runs them in one manager, without an election.
 */
import { neverAborted } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Controller } from '../../kube/controller/controller.ts';
import { createEventRecorder, type EventRecorder } from '../../kube/controller/events.ts';
import type { ManagerOptions } from '../../kube/manager/manager.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { LEASES, type Lease } from '../../kube/types/coordination.ts';
import { CONFIG_MAPS, NODES, type Node, PODS, SECRETS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { COLLECTOR_INDEXES, createGarbageCollector, keepOwnersOnly } from './garbage-collector.ts';
import { JOBS, type Job } from './job.ts';
import { createJobController, JOB_INDEXES } from './job-controller.ts';
import { createNodeLifecycle } from './node-lifecycle.ts';
import type { SchedulablePod } from './schedulable.ts';
import { createScheduler, SCHEDULER_INDEXES } from './scheduler.ts';

export interface ControllerSetDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly ids: Ids;
}

/** What a manager runs. */
export interface ControllerSet {
  readonly caches: ManagerOptions['caches'];
  readonly controllers: readonly Controller[];
  readonly events: EventRecorder;
}

export interface CoreControllerDeps extends ControllerSetDeps {
  /** Kinds besides the built-in ones whose objects are owners or dependents. */
  readonly collected?: readonly Resource<KubeObject>[];
}

const COLLECTED: readonly Resource<KubeObject>[] = [
  ...[PODS, NODES, SECRETS, CONFIG_MAPS, LEASES, JOBS],
  ...Object.values(CLUSTER_API_RESOURCES),
];

export const createCoreControllers = ({ ids, collected = [], ...deps }: CoreControllerDeps): ControllerSet => {
  const events = createEventRecorder({ ...deps, ids, component: 'controlplane', signal: neverAborted() });
  const nodes = createCache<Node>({ ...deps, resource: NODES, transform: dropManagedFields });
  const jobs = createCache<Job>({ ...deps, resource: JOBS, transform: dropManagedFields });
  const pods = createCache<SchedulablePod>({
    ...deps,
    resource: PODS,
    transform: dropManagedFields,
    indexes: { ...SCHEDULER_INDEXES, ...JOB_INDEXES },
  });
  const leases = createCache<Lease>({ ...deps, resource: LEASES, namespace: 'kube-node-lease' });
  const garbage = [...COLLECTED, ...collected].map((resource) =>
    createCache<KubeObject>({ ...deps, resource, transform: keepOwnersOnly, indexes: COLLECTOR_INDEXES }),
  );
  return {
    caches: [nodes, jobs, pods, leases, ...garbage],
    controllers: [
      createScheduler({ pods, nodes, events }),
      createJobController({ jobs, pods, events }),
      createNodeLifecycle({ nodes, leases, pods }),
      createGarbageCollector(garbage),
    ],
    events,
  };
};
