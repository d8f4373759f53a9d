/** What a person sees of the fleet: rows from the caches, and lines for what changed. Pure, but for reading caches. */

import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { HOST_STATES, MAC_HOSTS, type MacHost } from '../../kinds/mac-host.ts';
import { createCache, dropManagedFields } from '../../kube/cache/cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { DEMO_JOB } from '../../world/demo-fleet.ts';
import { renderColumns } from './render-columns.ts';

export interface FleetViewDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export type FleetView = ReturnType<typeof createFleetView>;

export const createFleetView = (deps: FleetViewDeps) => {
  const cacheOf = <T extends KubeObject>(resource: Resource<T>) =>
    createCache<T>({ ...deps, resource, transform: dropManagedFields });
  const hosts = cacheOf(MAC_HOSTS);
  const machines = cacheOf(CLUSTER_API_RESOURCES.machines);
  const nodes = cacheOf(NODES);
  const pods = cacheOf(PODS);
  const jobs = cacheOf(JOBS);
  const caches = [hosts, machines, nodes, pods, jobs];
  return {
    /** One line per Mac. */
    rows: (): readonly (readonly string[])[] => {
      const nodeOf = new Map(nodes.list().map((node) => [serverIdOf(node), node]));
      const running = countBy(pods.list(), ({ spec, status }) =>
        status?.phase === 'Running' ? spec?.nodeName : undefined,
      );
      return [...hosts.list()]
        .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
        .map((host) => {
          const node = nodeOf.get(host.metadata.name);
          return toRow(host, node, running.get(node?.metadata.name ?? '') ?? 0);
        });
    },
    readyNodes: (): number => nodes.list().filter(isReady).length,
    boundMachines: (): number => machines.list().filter(({ status }) => status?.nodeRef !== undefined).length,
    isJobDone: (): boolean => isTrue(jobs.get(`default/${DEMO_JOB}`)?.status?.conditions, 'Complete'),
    jobProgress: (): string => {
      const job = jobs.get(`default/${DEMO_JOB}`);
      return job === undefined ? 'none' : `${job.status?.succeeded ?? 0}/${job.spec.completions ?? 1} done`;
    },
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

/** The last part of a provider id, which names the server. */
const serverIdOf = ({ spec }: Node): string => spec?.providerID?.split('/').at(-1) ?? '';

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string | undefined): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

const toRow = ({ metadata, spec, status }: MacHost, node: Node | undefined, pods: number): readonly string[] => {
  const steps = status?.operation?.steps ?? [];
  const done = steps.filter(({ state }) => state === 'done' || state === 'skipped').length;
  const isPreparing = status?.state === 'preparing' && steps.length > 0;
  return [
    metadata.name.slice(0, 8),
    `${status?.state ?? '-'}${isPreparing ? ` ${done}/${steps.length}` : ''}`,
    status?.server?.name ?? '-',
    spec.claimRef?.name ?? '-',
    node === undefined ? '-' : isReady(node) ? 'Ready' : 'NotReady',
    String(pods),
  ];
};

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const isTrue = (conditions: NonNullable<Conditioned['status']>['conditions'], type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

const isReady = ({ status }: Conditioned): boolean => isTrue(status?.conditions, 'Ready');

const HEADERS = ['MAC', 'STATE', 'SERVER NAME', 'MACHINE', 'NODE', 'PODS'];
/** Wide enough for the longest state and its steps, so that columns do not jump. */
const STATE_WIDTH = Math.max(...HOST_STATES.map(({ length }) => length)) + 6;

export const renderTable = (rows: readonly (readonly string[])[]): string =>
  renderColumns([HEADERS, ...rows], [0, STATE_WIDTH]);
