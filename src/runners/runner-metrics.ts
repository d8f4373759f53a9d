/** What pools look like from outside, under the names of the Go original (§3.14). Counted from the caches when asked. */
import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';
import type { Clock } from '../base/clock.ts';
import { parseTimestamp } from '../base/clock.ts';
import type { ScalingSignals } from '../dispatch/port/dispatcher.ts';
import { parseRunnerPool, type RunnerPool } from '../kinds/runner-pool.ts';
import { keyOf, renderKey } from '../kube/types/meta.ts';
import type { Pod } from '../kube/types/pod.ts';
import { isInFleet, isNodeDraining, NODE_TROUBLES, troubleOf } from './fleet-nodes.ts';
import { planPool } from './pool/plan-pool.ts';
import type { RunnersCaches } from './ports.ts';
import { isAlive, isKnownBusy, isLeaving, isRunning } from './runner-pod.ts';
import type { Target } from './scaling/choose-target.ts';
import { loadOf } from './scaling/desired.ts';

export interface ScaleMeter {
  scaled(pool: RunnerPool, signals: ScalingSignals, target: Target): void;
  forget(pool: string): void;
}

const gauges = (registry: Registry, prefix: string, names: Readonly<Record<string, string>>) =>
  new Map(
    Object.entries(names).map(([name, help]) => [
      name,
      new Gauge({ name: `tuist_runners_${prefix}${name}`, help, labelNames: ['pool'], registers: [registry] }),
    ]),
  );

/** What the autoscaler saw and decided last. */
export const measureScaling = (registry: Registry): ScaleMeter => {
  const all = gauges(registry, 'autoscaler_', {
    target_replicas: 'Runners the pool would have if it were alone.',
    allocated_replicas: 'Runners it gets among its siblings.',
    warm_deficit_replicas: 'Idle runners that it should have and does not get.',
    min_warm_floor_replicas: 'Idle runners that it should always have.',
    claimed_jobs: 'Jobs that have a runner.',
    occupied_runners: 'Runners that are held, also after their job.',
    queued_jobs: 'Jobs that could run now.',
  });
  return {
    scaled: ({ metadata: { name: pool }, spec }, signals, { wanted, allocated }) => {
      const floor = spec.autoscaling.minWarmPoolFloor;
      const load = loadOf(signals);
      const values: Readonly<Record<string, number>> = {
        target_replicas: wanted,
        allocated_replicas: allocated,
        warm_deficit_replicas: Math.max(0, Math.min(load + floor, wanted) - Math.max(allocated, load)),
        min_warm_floor_replicas: floor,
        claimed_jobs: signals.claimed,
        occupied_runners: signals.occupied,
        queued_jobs: signals.queued,
      };
      for (const [name, value] of Object.entries(values)) all.get(name)?.set({ pool }, value);
    },
    forget: (pool) => {
      for (const gauge of all.values()) gauge.remove({ pool });
    },
  };
};

const PHASES = ['Pending', 'Running', 'Unknown'] as const;

/** Series of a pool that is gone are gone with it: all are counted anew whenever somebody asks. */
export const measurePools = (registry: Registry, caches: RunnersCaches, clock: Clock): void => {
  const registers = [registry];
  new Gauge({
    name: 'tuist_runners_pool_phase_replicas',
    help: 'Runners by phase.',
    labelNames: ['pool', 'phase'],
    registers,
    collect() {
      this.reset();
      for (const gauge of all.values()) gauge.reset();
      for (const pool of ownPools(caches)) {
        const { name } = pool.metadata;
        const pods = caches.pods.byIndex('pool', renderKey(keyOf(pool))).filter(isAlive);
        for (const phase of PHASES)
          this.set({ pool: name, phase }, pods.filter((pod) => phaseOf(pod) === phase).length);
        const counted = countPool(pool, pods, { caches, nowMs: clock.now() });
        for (const [metric, value] of Object.entries(counted)) all.get(metric)?.set({ pool: name }, value);
      }
    },
  });
  // A registry asks in order of registration: who counts for others comes first.
  const all = gauges(registry, 'pool_', {
    rolling_pods: 'Runners on an old image that leave, and new ones that are not up yet.',
    stale_pods: 'Runners on an old image.',
    roll_concurrency_cap: 'How many may be replaced at once.',
    idle_replicas: 'Runners that are up on a Node and have no job that we know of.',
    oldest_pending_pod_age_seconds: 'How long the runner that waits longest has been waiting; 0 when none is.',
  });
  measureFleets(registry, caches);
};

/** Those for linux are another controller's. */
const ownPools = ({ pools }: Pick<RunnersCaches, 'pools'>): readonly RunnerPool[] =>
  pools
    .list()
    .map(parseRunnerPool)
    .filter(({ spec }) => spec.os === 'darwin');

const phaseOf = ({ status }: Pod): string => status?.phase ?? 'Pending';

interface Counting {
  readonly caches: RunnersCaches;
  readonly nowMs: number;
}

const countPool = (
  pool: RunnerPool,
  pods: readonly Pod[],
  { caches, nowMs }: Counting,
): Readonly<Record<string, number>> => {
  const { rolling, stale, rollCap } = planPool({
    ...{ spec: pool.spec, life: 'up', pods, creating: pool.status?.creating ?? [], nowMs },
    isNodeDraining: (name) => isNodeDraining(caches.nodes.get(name)),
  });
  const isIdle = (pod: Pod): boolean =>
    isRunning(pod) && pod.spec.nodeName !== undefined && !isKnownBusy(pod) && !isLeaving(pod);
  const ages = pods
    .filter((pod) => phaseOf(pod) === 'Pending')
    .map(({ metadata }) => (nowMs - (parseTimestamp(metadata.creationTimestamp) ?? nowMs)) / 1_000);
  return {
    rolling_pods: rolling,
    stale_pods: stale,
    roll_concurrency_cap: rollCap,
    idle_replicas: pods.filter(isIdle).length,
    oldest_pending_pod_age_seconds: Math.max(0, ...ages),
  };
};

const measureFleets = (registry: Registry, caches: RunnersCaches): void => {
  new Gauge({
    name: 'tuist_runners_fleet_ready_nodes',
    help: 'Nodes of a fleet that take runners.',
    labelNames: ['fleet_selector', 'operating_system'],
    registers: [registry],
    collect() {
      this.reset();
      filtered.reset();
      for (const fleet of new Set(ownPools(caches).map(({ spec }) => spec.fleetSelector))) {
        const labels = { fleet_selector: fleet, operating_system: 'darwin' };
        const troubles = caches.nodes
          .list()
          .filter((node) => isInFleet(node, fleet))
          .map(troubleOf);
        this.set(labels, troubles.filter((trouble) => trouble === undefined).length);
        for (const reason of NODE_TROUBLES)
          filtered.set({ ...labels, reason }, troubles.filter((trouble) => trouble === reason).length);
      }
    },
  });
  const filtered = new Gauge({
    name: 'tuist_runners_fleet_filtered_nodes',
    help: 'Nodes of a fleet that take no runners, by why.',
    labelNames: ['fleet_selector', 'operating_system', 'reason'],
    registers: [registry],
  });
};
