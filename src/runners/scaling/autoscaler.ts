/**
 * Sets `spec.replicas` by what the dispatcher reports: every 5 s, only for pools that ask for it. An error changes
 * nothing; only a number that was understood does. It never touches a runner.
 */
import { toTimestamp } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import { parseRunnerPool, RUNNER_POOLS, type RunnerPool } from '../../kinds/runner-pool.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';
import { isPaused } from '../life/view-runner.ts';
import type { RunnersDeps } from '../ports.ts';
import type { ScaleMeter } from '../runner-metrics.ts';
import type { Streak } from '../streak.ts';
import { chooseTarget, isSibling, type PoolSignals } from './choose-target.ts';
import { roomOf } from './fleet-room.ts';
import { planScale } from './plan-scale.ts';
import type { AskSignals } from './shared-signals.ts';

export interface AutoscalerParts extends RunnersDeps {
  readonly ask: AskSignals;
  /** How asking went for each pool, by key; the pool's conditions tell it. */
  readonly streaks: { of(key: string): Streak; forget(key: string): void };
  /** To be called when there is something new to tell of a pool. */
  readonly onChange: (key: string) => void;
  readonly meter?: ScaleMeter;
}

const EVERY_MS = 5_000;
const AGAIN: Verdict = { next: 'again', afterMs: EVERY_MS };

export const createAutoscaler = (parts: AutoscalerParts): Controller =>
  createController({
    name: 'runnerpools.autoscaler',
    watches: [watchPrimary(parts.caches.pools)],
    reconcile: (context) => autoscale(parts, context),
  });

const isScaled = ({ spec, metadata }: RunnerPool): boolean =>
  spec.autoscaling.enabled && spec.os === 'darwin' && metadata.deletionTimestamp === undefined;

const autoscale = async (parts: AutoscalerParts, context: ReconcileContext): Promise<Verdict> => {
  const stored = parts.caches.pools.get(context.key);
  const pool = stored === undefined ? undefined : parseRunnerPool(stored);
  if (pool === undefined || !isScaled(pool) || isPaused(pool)) {
    parts.streaks.forget(context.key);
    if (pool === undefined || !isScaled(pool)) parts.meter?.forget(context.key.split('/').at(-1) ?? '');
    return { next: 'rest' };
  }
  const own = await askFor(parts, pool, context);
  if (own === undefined) return AGAIN;
  const siblings = await askSiblings(parts, own, context);
  const room = roomOf(parts.caches.nodes.list(), pool.spec.fleetSelector);
  const target = chooseTarget(own, siblings, room);
  parts.meter?.scaled(pool, own.signals, target);
  await scale(pool, target.allocated, context);
  return AGAIN;
};

/** Undefined when it could not be learned; that is told once it lasts. */
const askFor = async (
  { ask, streaks, onChange }: AutoscalerParts,
  pool: RunnerPool,
  { signal, logger }: ReconcileContext,
): Promise<PoolSignals | undefined> => {
  const key = renderKey(keyOf(pool));
  const streak = streaks.of(key);
  const before = tale(streak);
  try {
    const signals = await ask(pool.metadata.name, signal);
    streak.succeeded();
    return { pool, signals };
  } catch (thrown) {
    const error = toFleetError(thrown);
    if (error.kind === 'cancelled') throw error;
    streak.failed(error);
    logger.debug('No scaling signals', { error });
    return undefined;
  } finally {
    if (tale(streak) !== before) onChange(key);
  }
};

const tale = ({ state }: Streak): string => (typeof state === 'string' ? state : state.code);

/** All or none: a guess about one of them would be a guess about all. */
const askSiblings = async (
  parts: AutoscalerParts,
  own: PoolSignals,
  { signal }: ReconcileContext,
): Promise<readonly PoolSignals[] | undefined> => {
  const others = parts.caches.pools
    .list()
    .map(parseRunnerPool)
    .filter((other) => other.metadata.name !== own.pool.metadata.name && isSibling(own.pool, other));
  try {
    const asked = others.map(async (pool) => ({ pool, signals: await parts.ask(pool.metadata.name, signal) }));
    return [own, ...(await Promise.all(asked))];
  } catch (thrown) {
    const error = toFleetError(thrown);
    if (error.kind === 'cancelled') throw error;
    return undefined;
  }
};

const scale = async (
  pool: RunnerPool,
  target: number,
  { kube, clock, signal, logger }: ReconcileContext,
): Promise<void> => {
  const plan = planScale(pool, target, clock.now());
  if (plan.do === 'nothing') return;
  const key = keyOf(pool);
  let { uid, resourceVersion } = pool.metadata;
  if (plan.do === 'down') {
    const body = { metadata: { uid, resourceVersion }, status: { lastScaleDownAt: toTimestamp(clock.now()) } };
    const stamped = await kube.patch(RUNNER_POOLS, key, { type: 'merge', body }, { signal, subresource: 'status' });
    ({ uid, resourceVersion } = stamped.metadata);
  }
  const body = { metadata: { uid, resourceVersion }, spec: { replicas: plan.replicas } };
  await kube.patch(RUNNER_POOLS, key, { type: 'merge', body }, { signal });
  logger.info('Pool scaled', { pool: key.name, from: pool.spec.replicas, to: plan.replicas });
};
