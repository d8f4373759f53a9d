/** The runners controller, put together: `bin/runners.ts`, `macfleet up` and tests call this with their own ports. */
import { neverAborted } from '../base/abort.ts';
import { LABEL_VALUES, LABELS } from '../kinds/labels.ts';
import { EVENT_SOURCES } from '../kinds/names.ts';
import { RUNNER_POOLS } from '../kinds/runner-pool.ts';
import { createCache, dropManagedFields } from '../kube/cache/cache.ts';
import { createEventRecorder } from '../kube/controller/events.ts';
import { createManager, type Manager } from '../kube/manager/manager.ts';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../kube/types/core.ts';
import { keyOf, renderKey } from '../kube/types/meta.ts';
import { keepOfNode } from './fleet-nodes.ts';
import { createAccountKeeping, createRunnerKeeping } from './keep-runners.ts';
import { createBadNodes } from './life/bad-nodes.ts';
import { createRunnerController } from './life/runner-controller.ts';
import { createPoolController } from './pool/pool-controller.ts';
import type { RunnersCaches, RunnersDeps, RunnersPorts } from './ports.ts';
import { measurePools, measureScaling } from './runner-metrics.ts';
import { poolOf } from './runner-pod.ts';
import { createAutoscaler } from './scaling/autoscaler.ts';
import { shareSignals } from './scaling/shared-signals.ts';
import { createStreak, type Streak } from './streak.ts';
import { watchDispatcher } from './watched-dispatcher.ts';

const createCaches = (ports: RunnersPorts): RunnersCaches => {
  const { client, clock, logger, metrics, namespace } = ports;
  const common = (plural: string) => ({
    ...{ client, clock, logger, random: ports.random.stream(plural) },
    ...(metrics === undefined ? {} : { metrics: metrics.cache }),
  });
  return {
    pools: createCache({ ...common('runnerpools'), resource: RUNNER_POOLS, namespace, transform: dropManagedFields }),
    pods: createCache({
      ...{ ...common('pods'), resource: PODS, namespace, labelSelector: `${LABELS.runner}=true` },
      transform: createRunnerKeeping(),
      indexes: { pool: (pod) => [`${pod.metadata.namespace ?? ''}/${poolOf(pod)}`] },
    }),
    accounts: createCache({
      ...{ ...common('serviceaccounts'), resource: SERVICE_ACCOUNTS, namespace, transform: createAccountKeeping() },
      labelSelector: `${LABELS.component}=${LABEL_VALUES.componentRunnerAccount}`,
    }),
    nodes: createCache({ ...common('nodes'), resource: NODES, transform: keepOfNode }),
  };
};

/** How long signals must be bad before a pool says so. */
const SIGNALS_PATIENCE_MS = 60_000;

const createStreaks = ({ clock }: RunnersPorts) => {
  const known = new Map<string, Streak>();
  return {
    of: (key: string): Streak => {
      const streak = known.get(key) ?? createStreak(clock, SIGNALS_PATIENCE_MS);
      known.set(key, streak);
      return streak;
    },
    forget: (key: string): void => void known.delete(key),
  };
};

export const createRunners = (ports: RunnersPorts): Manager => {
  const { client, clock, random, ids, logger, lease, metrics } = ports;
  const caches = createCaches(ports);
  const events = createEventRecorder({
    ...{ client, clock, ids, logger, component: EVENT_SOURCES.runners, signal: neverAborted() },
  });
  const deps: RunnersDeps = { ports, caches, events, badNodes: createBadNodes(clock) };
  const wakeAll = (): void => {
    for (const pool of caches.pools.list()) poolController.wake(renderKey(keyOf(pool)));
  };
  const dispatcher = ports.dispatcher && watchDispatcher(ports.dispatcher, clock, wakeAll);
  const sessions = ports.sessions === 'reported' ? dispatcher : undefined;
  const streaks = createStreaks(ports);
  const isScaling = dispatcher !== undefined && ports.signals === 'asked';
  const poolController = createPoolController({
    ...deps,
    surroundings: (key) => ({ dispatcher: sessions, signals: isScaling ? streaks.of(key).state : undefined }),
  });
  if (metrics !== undefined) measurePools(metrics.registry, caches, clock);
  return createManager({
    ...{ name: 'macfleet-runners', client, clock, random, logger, events },
    caches: Object.values(caches),
    controllers: [
      poolController,
      createRunnerController(deps, sessions),
      ...(isScaling
        ? [
            createAutoscaler({
              ...{ ...deps, ask: shareSignals(dispatcher, clock), streaks, onChange: poolController.wake },
              ...(metrics === undefined ? {} : { meter: measureScaling(metrics.registry) }),
            }),
          ]
        : []),
    ],
    ...(lease === undefined ? {} : { lease }),
    ...(metrics === undefined ? {} : { metrics }),
  });
};
