/**
 * A controller: watches that turn changes into keys, a queue of keys, and one reconcile function. It knows nothing of
 * any kind; what a pass looks like for an object with status and finalizer is in lifecycle.ts.
 */
import { withTimeLimit } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ERROR_BEHAVIOUR, type FleetError, toFleetError } from '../../base/errors.ts';
import { isEqualJson } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Cache, CachePosition } from '../cache/cache.ts';
import type { Change } from '../cache/object-store.ts';
import type { KubeClient, Permit } from '../client/client.ts';
import {
  type AddReason,
  createWorkQueue,
  type QueueMetrics,
  type Verdict,
  type WorkQueue,
} from '../queue/work-queue.ts';
import { type KubeObject, keyOf, renderKey } from '../types/meta.ts';
import { createFencedClient } from './fenced-client.ts';
import { createFences, type Fences } from './fences.ts';
import type { Operations } from './operations.ts';

/** Turns changes of one kind into keys of the controller's own kind. */
export interface Watch {
  readonly cache: CachePosition & { readonly synced: boolean };
  /** Calls `add` for every key that a change concerns, now and from now on. */
  start(add: (key: string, reason: AddReason) => void): () => void;
}

export interface ReconcileContext {
  readonly key: string;
  /** Aborted when the pass takes too long, leadership is lost or the process stops. */
  readonly signal: AbortSignal;
  readonly kube: KubeClient;
  /** To be called right before any effect outside Kubernetes. */
  readonly permit: Permit;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ControllerMetrics {
  readonly queue?: QueueMetrics;
  reconciled(result: 'success' | 'requeue_after' | 'error', seconds: number): void;
  active(passes: number): void;
}

export interface ControllerOptions {
  /** Lower case, dotted by concern: `machosts.inventory`. */
  readonly name: string;
  readonly watches: readonly Watch[];
  readonly reconcile: (context: ReconcileContext) => Promise<Verdict>;
  readonly workers?: number;
  /** The longest that one pass may take. */
  readonly passTimeoutMs?: number;
  /** Long work of this controller, ended when the controller ends. */
  readonly operations?: Pick<Operations<unknown, unknown>, 'stop'>;
}

/** What the manager gives to each controller. */
export interface ControllerDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly permit: Permit;
  readonly metrics?: ControllerMetrics;
}

export interface Controller {
  readonly name: string;
  readonly watches: readonly Watch[];
  /** Wakes a key from outside the watches: an operation that ended, a timer of the domain. */
  wake(key: string): void;
  run(deps: ControllerDeps, signal: AbortSignal): Promise<void>;
}

const PASS_TIMEOUT_MS = 120_000;

export const createController = (options: ControllerOptions): Controller => {
  let queue: WorkQueue | undefined;
  return {
    name: options.name,
    watches: options.watches,
    wake: (key) => queue?.add(key, 'change'),
    run: async (deps, signal) => {
      const { clock, random, metrics } = deps;
      const workers = options.workers ?? 4;
      const fences = createFences(options.watches.map(({ cache }) => cache));
      const keys = createWorkQueue({ clock, random, workers, ...(metrics?.queue ? { metrics: metrics.queue } : {}) });
      queue = keys;
      const stops = [
        fences.start((key) => keys.add(key, 'change')),
        ...options.watches.map((watch) => watch.start((key, reason) => keys.add(key, reason))),
      ];
      const stopOperations = (): void => void options.operations?.stop();
      signal.addEventListener('abort', stopOperations, { once: true });
      try {
        await keys.run(createPass(options, deps, { fences, signal }), signal);
        await options.operations?.stop();
      } finally {
        signal.removeEventListener('abort', stopOperations);
        for (const stop of stops) stop();
      }
    },
  };
};

/** One pass over one key: fenced, with a deadline, measured, and never throwing. */
const createPass = (
  options: ControllerOptions,
  deps: ControllerDeps,
  { fences, signal }: { readonly fences: Fences; readonly signal: AbortSignal },
): ((key: string) => Promise<Verdict>) => {
  const { clock, metrics } = deps;
  const timeoutMs = options.passTimeoutMs ?? PASS_TIMEOUT_MS;
  let active = 0;
  return async (key) => {
    if (!fences.isClear(key)) return { next: 'held-back' };
    const startedMs = clock.elapsed();
    const logger = deps.logger.with({ controller: options.name, key });
    const kube = createFencedClient(deps.client, { key, fences, permit: deps.permit });
    active += 1;
    metrics?.active(active);
    const verdict = await withTimeLimit({ clock, timeoutMs, signal, doing: `reconciling ${key}` }, (passSignal) =>
      options.reconcile({ key, signal: passSignal, kube, permit: deps.permit, clock, logger }),
    ).catch((thrown: unknown): Verdict => ({ next: 'failed', error: toFleetError(thrown) }));
    active -= 1;
    metrics?.active(active);
    metrics?.reconciled(RESULT[verdict.next], (clock.elapsed() - startedMs) / 1_000);
    if (verdict.next === 'failed') logFailure(logger, verdict.error);
    return verdict;
  };
};

const RESULT = { rest: 'success', again: 'requeue_after', 'held-back': 'requeue_after', failed: 'error' } as const;

const logFailure = (logger: Logger, error: FleetError): void =>
  logger.log(ERROR_BEHAVIOUR[error.kind].logLevel, 'Reconcile failed', { error });

/** The controller's own kind. A changed wish (spec, labels, annotations, deletion) forgives failures. */
export const watchPrimary = <T extends KubeObject>(cache: Cache<T>): Watch => ({
  cache,
  start: (add) =>
    cache.subscribe((change) => {
      const object = change.type === 'deleted' ? change.old : change.object;
      add(renderKey(keyOf(object)), isWish(change) ? 'wish' : 'change');
    }),
});

/** Another kind whose changes concern keys of the controller's own kind. */
export const watchMapped = <T extends KubeObject>(
  cache: Cache<T>,
  map: (change: Change<T>) => readonly string[],
): Watch => ({
  cache,
  start: (add) =>
    cache.subscribe((change) => {
      for (const key of map(change)) add(key, 'change');
    }),
});

const isWish = <T extends KubeObject>(change: Change<T>): boolean => {
  if (change.type !== 'updated') return true;
  const { metadata: before } = change.old;
  const { metadata: after } = change.object;
  return (
    before.generation !== after.generation ||
    before.uid !== after.uid ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    !isEqualJson(before.labels, after.labels) ||
    !isEqualJson(before.annotations, after.annotations)
  );
};
