/** What a person sees of the fleet, from caches of what the API tells. */
import { type Clock, parseTimestamp } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { DEPLOYMENTS } from '../../controlplane/core/workloads/replicated.ts';
import { CONDITIONS } from '../../kinds/condition-reasons.ts';
import { MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import { RUNNER_POOLS } from '../../kinds/runner-pool.ts';
import { createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { CLUSTER_API_RESOURCES, type Machine, type MachineDeployment } from '../../kube/types/cluster-api.ts';
import { LEASES } from '../../kube/types/coordination.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { Resource } from '../../kube/types/resource.ts';
import type { Standing } from './diagnose.ts';
import type { FleetPicture } from './fleet-picture.ts';
import { lookAtMac, serverIdOf } from './look-at-mac.ts';
import {
  type FailedJob,
  findFailure,
  isReady,
  isTrue,
  lookAtDeployment,
  lookAtJob,
  lookAtPod,
  lookAtPool,
} from './look-at-work.ts';

export interface FleetViewDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What Nodes said before counts no more: those of a kept fleet are as they were when the last run ended. Wall time. */
  readonly heardSinceMs?: number;
}

/** Where Nodes say that they live. */
const NODE_LEASES = 'kube-node-lease';

type Caches = ReturnType<typeof openCaches>;

const openCaches = (deps: FleetViewDeps) => {
  const cacheOf = <T extends KubeObject>(resource: Resource<T>, transform: (object: T) => T = dropManagedFields) =>
    createCache<T>({ ...deps, resource, transform });
  return {
    hosts: cacheOf(MAC_HOSTS, keepOfHost),
    machines: cacheOf(CLUSTER_API_RESOURCES.machines, keepOfMachine),
    machineDeployments: cacheOf(CLUSTER_API_RESOURCES.machineDeployments, keepOfMachineDeployment),
    nodes: cacheOf(NODES, keepOfNode),
    ...{ pods: cacheOf(PODS), jobs: cacheOf(JOBS), deployments: cacheOf(DEPLOYMENTS), pools: cacheOf(RUNNER_POOLS) },
    // Of many Macs they change all the time: they are followed where something depends on them.
    ...(deps.heardSinceMs !== undefined && { leases: cacheOf(LEASES) }),
  };
};

export type FleetView = ReturnType<typeof createFleetView>;

export const createFleetView = (deps: FleetViewDeps) => {
  const opened = openCaches(deps);
  const { hosts, machines, pods, jobs, deployments, pools } = opened;
  const { wantedMachines, readyNodes, boundMachines, withoutMac } = countMacs(opened, deps.heardSinceMs);
  const caches = Object.values(opened);
  return {
    picture: (): FleetPicture => ({
      atMs: deps.clock.now(),
      macs: lookAtMacs(opened),
      work: [
        ...deployments.list().map(lookAtDeployment),
        ...jobs.list().map(lookAtJob),
        ...pools.list().map(lookAtPool),
      ],
      pods: sorted(pods.list()).map(lookAtPod),
      jobs: [],
    }),
    ...{ readyNodes, boundMachines },
    standing: (): Standing => ({
      ...{ wantedMachines: wantedMachines(), readyNodes: readyNodes(), boundMachines: boundMachines() },
      withoutMac: withoutMac(),
    }),
    /** As many as are wanted, each bound to its Node. */
    areMacsReady: (): boolean => {
      const wanted = wantedMachines();
      return wanted !== undefined && readyNodes() >= wanted && boundMachines() >= wanted;
    },
    machines: () => machines.list(),
    hosts: () => hosts.list(),
    /** All Jobs have come to an end, good or bad, and there is one at least. */
    areJobsOver: (): boolean =>
      jobs.list().length > 0 && jobs.list().every((job) => isTrue(job, 'Complete') || isTrue(job, 'Failed')),
    failedJobs: (): readonly FailedJob[] => jobs.list().flatMap(findFailure),
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

const sorted = <T extends KubeObject>(list: readonly T[]): readonly T[] =>
  list.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));

const lookAtMacs = ({ hosts, machines, nodes, pods }: Caches): FleetPicture['macs'] => {
  const nodeOf = new Map(nodes.list().map((node) => [serverIdOf(node), node]));
  const running = countRunning(pods.list());
  return sorted(hosts.list()).map((host) => {
    const node = nodeOf.get(host.metadata.name);
    const { claimRef } = host.spec;
    const machine = claimRef && machines.get(`${claimRef.namespace}/${claimRef.name}`);
    return lookAtMac({ host, machine, node, pods: running.get(node?.metadata.name ?? '') ?? 0 });
  });
};

const countMacs = ({ hosts, machines, machineDeployments, nodes, leases }: Caches, heardSinceMs = 0) => {
  const isHeard = ({ metadata: { name } }: Node): boolean =>
    leases === undefined ||
    (parseTimestamp(leases.get(`${NODE_LEASES}/${name}`)?.spec?.renewTime) ?? 0) >= heardSinceMs;
  const ownerOf = ({ spec: { claimRef } }: MacHost): string =>
    claimRef === undefined ? '' : `${claimRef.namespace}/${claimRef.name}`;
  return {
    /** So many Macs are wanted in all fleets; undefined before the API has told. */
    wantedMachines: (): number | undefined =>
      machineDeployments.synced
        ? machineDeployments.list().reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0)
        : undefined,
    readyNodes: (): number => nodes.list().filter((node) => isReady(node) && isHeard(node)).length,
    boundMachines: (): number => machines.list().filter(({ status }) => status?.nodeRef !== undefined).length,
    /** Machines whose name is on no Mac. */
    withoutMac: (): readonly string[] => {
      const owners = new Set(hosts.list().map(ownerOf));
      const isWithout = ({ metadata: { namespace, name }, status }: Machine): boolean =>
        status?.nodeRef === undefined && !owners.has(`${namespace}/${name}`);
      return sorted(machines.list().filter(isWithout)).map(({ metadata }) => metadata.name);
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

const keepOfMachineDeployment = (deployment: MachineDeployment): MachineDeployment => ({
  ...{ metadata: nameOf(deployment), spec: deployment.spec },
});

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
