/**
 * A pool keeps as many runners as it wants. A pass puts those that are missing on record, the next makes them, so that
 * neither a lost answer nor a restart nor a second controller makes one twice (N14); who is too many is asked to leave.
 */
import { toTimestamp } from '../../base/clock.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { FINALIZERS, LABELS } from '../../kinds/labels.ts';
import { parseRunnerPool, type RunnerPool } from '../../kinds/runner-pool.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, type Report, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { type Node, PODS } from '../../kube/types/core.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { isNodeDraining, keepOfNode } from '../fleet-nodes.ts';
import { createRunnerKeeping } from '../keep-runners.ts';
import { isPaused } from '../life/view-runner.ts';
import type { RunnersDeps } from '../ports.ts';
import { isAlive, poolOf } from '../runner-pod.ts';
import { makeRunners } from './make-runners.ts';
import { markLeaving } from './mark-leaving.ts';
import { type PoolPlan, planPool } from './plan-pool.ts';
import { describePool, judgePool, type PoolSurroundings } from './pool-conditions.ts';
import { nameRunner } from './render-runner.ts';
import { createRivals, type Rivals } from './rivals.ts';

export interface PoolParts extends RunnersDeps {
  /** What there is to tell of the dispatcher, and of the load of this pool. */
  readonly surroundings: (key: string) => Omit<PoolSurroundings, 'nodes'>;
}

type Result = StepResult<RunnerPool>;

/** Another pass follows when what it waits for is seen: this is for what is never seen. */
const LOOK_AGAIN_MS = 300_000;

interface Pass extends PoolParts {
  /** Pools whose runners this process knows all of: it has listed them itself, and nothing failed since. */
  readonly sure: Set<string>;
  readonly rivals: Rivals;
}

export const createPoolController = (parts: PoolParts): Controller => {
  const pass: Pass = { ...parts, sure: new Set(), rivals: createRivals(parts.ports.clock) };
  const { pools, pods, nodes } = parts.caches;
  const allPools = (): readonly string[] => pools.list().map((pool) => renderKey(keyOf(pool)));
  return createController({
    name: 'runnerpools.lifecycle',
    watches: [
      watchPrimary(pools),
      watchMapped(pods, (change) => {
        const pod = change.type === 'deleted' ? change.old : change.object;
        return [`${pod.metadata.namespace ?? ''}/${poolOf(pod)}`];
      }),
      watchMapped(nodes, (change) =>
        change.type === 'updated' && isSame(change.old, change.object) ? [] : allPools(),
      ),
    ],
    reconcile: reconcileLifecycle<RunnerPool>({
      cache: pools,
      events: parts.events,
      finalizer: FINALIZERS.runnerPool,
      read: parseRunnerPool,
      gate: async (pool) => gate(pool),
      up: [
        step('accepted', CONDITIONS.pool.accepted, async (pool) => done({ condition: judgePool(pool) })),
        ...TOLD.map((type) => step(type, type, async (pool) => done(tell(pass, pool, type)))),
        step('sole', CONDITIONS.pool.soleController, async (pool) => done(tellRivals(pass, pool))),
        step('runners', CONDITIONS.pool.runnersCreated, (pool, context) => keepRunners(pass, pool, context)),
      ],
      down: [step('drain', CONDITIONS.pool.runnersCreated, (pool, context) => drainPool(pass, pool, context))],
      summary: {
        type: CONDITIONS.pool.ready,
        of: [CONDITIONS.pool.accepted, CONDITIONS.pool.fleetReady, CONDITIONS.pool.runnersCreated],
      },
      gone: (key) => {
        pass.sure.delete(key);
        pass.rivals.forget(key);
      },
    }),
  });
};

const step = (name: string, condition: string, run: Step<RunnerPool>['run']): Step<RunnerPool> => ({
  ...{ name, condition, run },
});

/** A heartbeat says nothing new. */
const isSame = (one: Node, other: Node): boolean => factsOf(one) === factsOf(other);

const factsOf = (node: Node): string => {
  const { metadata, spec, status } = keepOfNode(node);
  return JSON.stringify([metadata.labels, metadata.deletionTimestamp, spec, status]);
};

/** What can never be is told, and nothing is done; a deletion goes on all the same. */
const gate = (pool: RunnerPool): Result | undefined => {
  if (pool.metadata.deletionTimestamp !== undefined) return undefined;
  const judged = judgePool(pool);
  if (judged.status !== 'True') return stop({ condition: judged });
  if (isPaused(pool)) return stop({ condition: reportPause('True') });
  return pool.status?.conditions?.some(({ type, status }) => type === CONDITIONS.pool.paused && status === 'True')
    ? wait(0, { condition: reportPause('False') })
    : undefined;
};

const reportPause = (status: 'True' | 'False'): ConditionReport => {
  const { paused: why } = REASONS.pool;
  return {
    ...{ type: CONDITIONS.pool.paused, status, message: '' },
    reason: status === 'True' ? why.paused : why.notPaused,
  };
};

const TOLD = [
  CONDITIONS.pool.fleetReady,
  CONDITIONS.pool.dispatcherReady,
  CONDITIONS.pool.drainHandshake,
  CONDITIONS.pool.scaling,
  CONDITIONS.pool.imagePinned,
] as const;

const tell = ({ caches, surroundings }: Pass, pool: RunnerPool, type: string) => {
  const around = { ...surroundings(renderKey(keyOf(pool))), nodes: caches.nodes.list() };
  const condition = describePool(pool, around).find((report) => report.type === type);
  return condition === undefined ? {} : { condition };
};

const tellRivals = ({ rivals }: Pass, pool: RunnerPool) => {
  const condition = rivals.look(pool);
  return condition === undefined ? {} : { condition };
};

const planFor = ({ caches, ports }: Pass, pool: RunnerPool, pods: readonly Pod[]): PoolPlan =>
  planPool({
    ...{ spec: pool.spec, pods, creating: pool.status?.creating ?? [], nowMs: ports.clock.now() },
    life: pool.metadata.deletionTimestamp === undefined ? 'up' : 'deleting',
    isNodeDraining: (name) => isNodeDraining(caches.nodes.get(name)),
  });

const podsOf = ({ caches }: Pass, pool: RunnerPool): readonly Pod[] =>
  caches.pods.byIndex('pool', renderKey(keyOf(pool)));

const keepRunners = async (pass: Pass, pool: RunnerPool, context: ReconcileContext): Promise<Result> => {
  const plan = planFor(pass, pool, podsOf(pass, pool));
  const { events, ports, badNodes, sure, rivals } = pass;
  if (plan.create.length > 0) sure.delete(context.key);
  // Neither waits for the other: one that cannot be made must not keep one from leaving, nor the other way round (R5).
  const [made, marked] = await Promise.allSettled([
    makeRunners(plan.create, { pool, settings: { ...ports.guests, avoid: badNodes.list() }, context }),
    markLeaving(plan.retire, context, events),
  ]);
  if (made.status === 'rejected') throw made.reason;
  if (marked.status === 'rejected') throw marked.reason;
  if (plan.create.length > 0 && made.value) sure.add(context.key);
  if (plan.announce === 0) return untilNextOld(plan, told(pool, { plan, creating: [], context }));
  const certain = sure.has(context.key) ? plan : planFor(pass, pool, await listLive(pool, context));
  // A cache that shows less than there is says so again in the next pass.
  if (certain.announce === plan.announce) sure.add(context.key);
  const creating = Array.from({ length: certain.announce }, () => nameRunner(pool.metadata.name, ports.random));
  rivals.announce(context.key, creating);
  return done(told(pool, { plan: certain, creating, context }));
};

/** All else that changes is seen; only time is not. */
const untilNextOld = ({ lookAgainMs }: PoolPlan, report: Report<RunnerPool>): Result =>
  lookAgainMs === undefined ? done(report) : wait(lookAgainMs, report);

/** After a restart, or when something failed, what a cache shows may be less than there is. */
const listLive = async (pool: RunnerPool, { kube, signal }: ReconcileContext): Promise<readonly Pod[]> => {
  const { namespace = '', name } = pool.metadata;
  const labelSelector = `${LABELS.runner}=true,${LABELS.runnerPool}=${name}`;
  return (await kube.list(PODS, { namespace, labelSelector, transform: createRunnerKeeping(), signal })).items;
};

interface Told {
  readonly plan: PoolPlan;
  /** To be put on record. */
  readonly creating: readonly string[];
  readonly context: ReconcileContext;
}

const told = (pool: RunnerPool, { plan, creating, context }: Told): Report<RunnerPool> => {
  const { spec, status, metadata } = pool;
  const now = toTimestamp(context.clock.now());
  const observedReplicas = plan.alive + plan.create.length;
  const isRolled = status?.observedImage !== spec.image;
  const isNews = isRolled || status?.observedReplicas !== observedReplicas || creating.length > 0;
  return {
    status: {
      observedReplicas,
      creating: creating.length === 0 ? undefined : creating,
      selector: `${LABELS.runnerPool}=${metadata.name}`,
      ...(isNews ? { lastReconcile: now } : {}),
      ...(isRolled ? { observedImage: spec.image, imageRolledAt: now } : {}),
    },
    condition: {
      ...{ type: CONDITIONS.pool.runnersCreated, status: 'True', message: '' },
      reason: REASONS.pool.runnersCreated.created,
    },
  };
};

/** Busy runners end by themselves, those that ended are reported, and only then the pool goes (§3.9, §7-17). */
const drainPool = async (pass: Pass, pool: RunnerPool, context: ReconcileContext): Promise<Result> => {
  await markLeaving(planFor(pass, pool, podsOf(pass, pool)).retire, context, pass.events);
  const left = await listLive(pool, context);
  const isForeign = pool.spec.os === 'linux';
  if (left.length === 0 || (isForeign && !left.some(isAlive))) return done();
  return wait(LOOK_AGAIN_MS, {
    condition: {
      ...{ type: CONDITIONS.pool.runnersCreated, status: 'False', reason: REASONS.pool.runnersCreated.deleting },
      message: 'being deleted: runners finish their jobs first, and their ends are reported',
    },
  });
};
