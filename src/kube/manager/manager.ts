/**
 * Runs caches and controllers for as long as this process may: caches from the start, so that a standby is warm;
 * controllers only while the leader lease is held. Losing the lease ends the run with an error, and the process with
 * it: a fresh start is the one state that needs no proof.
 */
import { linkedController, neverAborted, withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { isKind, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Cache } from '../cache/cache.ts';
import type { KubeClient, Permit } from '../client/client.ts';
import type { Controller, ControllerDeps } from '../controller/controller.ts';
import type { EventRecorder } from '../controller/events.ts';
import type { LeaderLease } from './leader-lease.ts';
import type { RuntimeMetrics } from './metrics.ts';

type RunnableCache = Pick<Cache<never>, 'run' | 'whenSynced' | 'synced'> & {
  readonly resource: { readonly plural: string };
};

export interface ManagerOptions {
  readonly name: string;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly caches: readonly RunnableCache[];
  readonly controllers: readonly Controller[];
  /** What controllers wait for beside their caches; it begins when these have sent their first requests. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly events?: Pick<EventRecorder, 'flush'>;
  /** Without one this process acts as if it were alone. */
  readonly lease?: LeaderLease;
  readonly metrics?: Pick<RuntimeMetrics, 'controller' | 'leading'>;
  /** How long a stop waits for passes and operations under way. */
  readonly graceMs?: number;
}

export interface Manager {
  /** Settles after a clean stop; rejects when leadership is lost or a part fails. */
  run(signal: AbortSignal): Promise<void>;
  /** What still keeps it from working; undefined when nothing does. A standby with warm caches is ready. */
  notReadyBecause(): string | undefined;
}

const GRACE_MS = 30_000;

export const createManager = (options: ManagerOptions): Manager => ({
  run: (signal) => runManager(options, signal),
  notReadyBecause: () => {
    const cold = options.caches.filter(({ synced }) => !synced).map(({ resource }) => resource.plural);
    return cold.length === 0 ? undefined : `waiting for the first list of ${cold.join(', ')}`;
  },
});

const runManager = async (options: ManagerOptions, signal: AbortSignal): Promise<void> => {
  const { caches, lease, logger, metrics, name } = options;
  const cacheLife = linkedController(neverAborted());
  const running = caches.map((cache) => cache.run(cacheLife.signal));
  try {
    await lease?.acquire(signal);
    metrics?.leading(name, 'leader');
    await Promise.all([...caches.map((cache) => cache.whenSynced(signal)), options.prepare?.(signal)]);
    logger.info('Controllers starting', { controllers: options.controllers.map((controller) => controller.name) });
    await lead(options, signal);
  } catch (error) {
    if (!signal.aborted || !isKind(error, 'cancelled')) throw error;
  } finally {
    metrics?.leading(name, 'standby');
    await stepDown(options);
    cacheLife.abort();
    await Promise.all(running);
  }
};

/** Runs the controllers under the lease until the signal ends them or the lease is gone. */
const lead = async (options: ManagerOptions, signal: AbortSignal): Promise<void> => {
  const term = linkedController(signal);
  const keeping = options.lease?.keep(term.signal);
  const working = options.controllers.map((controller) => controller.run(depsFor(options, controller), term.signal));
  const end = keeping === undefined ? Promise.all(working) : Promise.race([keeping, Promise.all(working)]);
  try {
    await end;
  } finally {
    term.abort();
    term.release();
    await withGrace(options, Promise.allSettled([...working, ...(keeping === undefined ? [] : [keeping])]));
  }
};

const depsFor = (options: ManagerOptions, controller: Controller): ControllerDeps => {
  const { client, clock, random, logger, lease, metrics } = options;
  const permit: Permit = () => lease?.permit();
  const own = { client, clock, random: random.stream(controller.name), logger, permit };
  return metrics === undefined ? own : { ...own, metrics: metrics.controller(controller.name) };
};

/** Events are sent and the lease is given back; neither may hold up the end for long. */
const stepDown = async (options: ManagerOptions): Promise<void> => {
  await withGrace(options, options.events?.flush() ?? Promise.resolve());
  await withGrace(options, options.lease?.release(neverAborted()) ?? Promise.resolve());
};

const withGrace = async (options: ManagerOptions, work: Promise<unknown>): Promise<void> => {
  const { clock, logger, graceMs = GRACE_MS } = options;
  const limit = { clock, timeoutMs: graceMs, signal: neverAborted(), doing: 'stopping' };
  await withDeadline(limit, () => work).catch((thrown: unknown) =>
    logger.warn('Stop did not end cleanly', { error: toFleetError(thrown) }),
  );
};
