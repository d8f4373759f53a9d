/** What a person sees of the fleet, from caches of what the API tells. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { DEPLOYMENTS } from '../../controlplane/core/workloads/replicated.ts';
import { CONDITIONS } from '../../kinds/condition-reasons.ts';
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import { RUNNER_POOLS } from '../../kinds/runner-pool.ts';
import { createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { CLUSTER_API_RESOURCES, type Machine } from '../../kube/types/cluster-api.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { FleetPicture } from './fleet-picture.ts';
import { lookAtMac, serverIdOf } from './look-at-mac.ts';
import { isReady, isTrue, lookAtDeployment, lookAtJob, lookAtPod, lookAtPool } from './look-at-work.ts';

export interface FleetViewDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export type FleetView = ReturnType<typeof createFleetView>;

export const createFleetView = (deps: FleetViewDeps) => {
  const cacheOf = <T extends KubeObject>(resource: Resource<T>, transform: (object: T) => T = dropManagedFields) =>
    createCache<T>({ ...deps, resource, transform });
  const hosts = cacheOf(MAC_HOSTS, keepOfHost);
  const machines = cacheOf(CLUSTER_API_RESOURCES.machines, keepOfMachine);
  const nodes = cacheOf(NODES, keepOfNode);
  const [pods, jobs, deployments, pools] = [cacheOf(PODS), cacheOf(JOBS), cacheOf(DEPLOYMENTS), cacheOf(RUNNER_POOLS)];
  const caches = [hosts, machines, nodes, pods, jobs, deployments, pools];
  const sorted = <T extends KubeObject>(list: readonly T[]): readonly T[] =>
    list.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  const lookAtMacs = (): FleetPicture['macs'] => {
    const nodeOf = new Map(nodes.list().map((node) => [serverIdOf(node), node]));
    const running = countRunning(pods.list());
    return sorted(hosts.list()).map((host) => {
      const node = nodeOf.get(host.metadata.name);
      const { claimRef } = host.spec;
      const machine = claimRef && machines.get(`${claimRef.namespace}/${claimRef.name}`);
      return lookAtMac({ host, machine, node, pods: running.get(node?.metadata.name ?? '') ?? 0 });
    });
  };
  return {
    picture: (): FleetPicture => ({
      atMs: deps.clock.now(),
      macs: lookAtMacs(),
      work: [
        ...deployments.list().map(lookAtDeployment),
        ...jobs.list().map(lookAtJob),
        ...pools.list().map(lookAtPool),
      ],
      pods: sorted(pods.list()).map(lookAtPod),
      jobs: [],
    }),
    readyNodes: (): number => nodes.list().filter(isReady).length,
    boundMachines: (): number => machines.list().filter(({ status }) => status?.nodeRef !== undefined).length,
    machines: machines.list,
    hosts: hosts.list,
    /** All Jobs are done, and there is one at least. */
    isJobDone: (): boolean => jobs.list().length > 0 && jobs.list().every((job) => isTrue(job, 'Complete')),
    /** Calls `run` whenever anything shown may have changed. */
    onChange: (run: () => void): (() => void) => {
      const stops = caches.map((cache) => cache.onProgress(run));
      return () => {
        for (const stop of stops) stop();
      };
    },
    run: async (signal: AbortSignal): Promise<void> => {
      await Promise.all(caches.map((cache) => cache.run(signal)));
    },
  };
};

/** Of a thousand Macs no more is kept than is shown. */
const nameOf = ({ metadata: { name, namespace, resourceVersion, labels } }: KubeObject): KubeObject['metadata'] => ({
  ...{ name, ...(namespace !== undefined && { namespace }) },
  ...(resourceVersion !== undefined && { resourceVersion }),
  ...(labels !== undefined && { labels }),
});

const keepOfNode = (node: Node): Node => {
  const { providerID } = node.spec ?? {};
  const ready = node.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
  return {
    metadata: nameOf(node),
    spec: { ...(providerID !== undefined && { providerID }) },
    status: { conditions: ready },
  };
};

const keepOfMachine = (machine: Machine): Machine => {
  const { nodeRef } = machine.status ?? {};
  return { metadata: nameOf(machine), spec: machine.spec, status: { ...(nodeRef !== undefined && { nodeRef }) } };
};

const keepOfHost = (host: MacHost): MacHost => {
  const { state, stateSince, operation, conditions } = host.status ?? {};
  return {
    ...{ metadata: nameOf(host), spec: host.spec },
    status: {
      ...(state !== undefined && { state }),
      ...(stateSince !== undefined && { stateSince }),
      ...(operation !== undefined && { operation }),
      ...(conditions !== undefined && { conditions: conditions.filter(({ type }) => type === CONDITIONS.host.ready) }),
    },
  };
};

/** By the name of the Node. */
const countRunning = (pods: readonly Pod[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { spec, status } of pods) {
    if (status?.phase !== 'Running' || spec.nodeName === undefined) continue;
    counts.set(spec.nodeName, (counts.get(spec.nodeName) ?? 0) + 1);
  }
  return counts;
};
