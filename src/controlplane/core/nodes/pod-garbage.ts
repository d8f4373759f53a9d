/**
 * Pods that nobody else can end: those of a Node that no longer exists, and the oldest of those that are over when there
 * are very many. A Node that is registered again within the quarantine keeps its Pods.
 */
import { parseTimestamp, toTimestamp } from '../../../base/clock.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import { readIfThere } from '../../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
} from '../../../kube/controller/controller.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { NODES, type Node, PODS } from '../../../kube/types/core.ts';
import { keyOf } from '../../../kube/types/meta.ts';
import { isTerminal, type SchedulablePod } from '../scheduling/schedulable.ts';
import { subjectOf } from '../watch-related.ts';

const QUARANTINE_MS = 40_000;
const TERMINATED_MAX = 12_500;
/** No Node has this name: a name holds no space. */
const TERMINATED = 'terminated pods';

export interface PodGarbageParts {
  readonly nodes: Cache<Node>;
  /** With index `assigned`, by the Node that a Pod is or was on. */
  readonly pods: Cache<SchedulablePod>;
  /** How many Pods that are over may stay. */
  readonly terminatedMax?: number;
}

export const createPodGarbage = (parts: PodGarbageParts): Controller => {
  /** Since when each Node has been missed. */
  const missedSinceMs = new Map<string, number>();
  return createController({
    name: 'pod-garbage',
    watches: [
      watchMapped(parts.nodes, (change) => [subjectOf(change).metadata.name]),
      watchMapped(parts.pods, (change) => {
        if (change.type === 'deleted') return [];
        const { nodeName } = change.object.spec;
        const isLost = nodeName !== undefined && parts.nodes.get(nodeName) === undefined;
        return [...(isLost ? [nodeName] : []), ...(isTerminal(change.object) ? [TERMINATED] : [])];
      }),
    ],
    reconcile: (context) =>
      context.key === TERMINATED ? trimTerminated(parts, context) : followNode(parts, missedSinceMs, context),
    workers: 1,
  });
};

const followNode = async (
  { nodes, pods }: PodGarbageParts,
  missedSinceMs: Map<string, number>,
  context: ReconcileContext,
): Promise<Verdict> => {
  const lost = pods.byIndex('assigned', context.key);
  if (nodes.get(context.key) !== undefined || lost.length === 0) {
    missedSinceMs.delete(context.key);
    return { next: 'rest' };
  }
  const nowMs = context.clock.now();
  const sinceMs = missedSinceMs.get(context.key) ?? nowMs;
  missedSinceMs.set(context.key, sinceMs);
  const leftMs = sinceMs + QUARANTINE_MS - nowMs;
  if (leftMs > 0) return { next: 'again', afterMs: leftMs };
  // That the Node is gone is asked of the API: the cache of Pods may be ahead of that of Nodes.
  if ((await readIfThere(NODES, { name: context.key }, context)) !== undefined) return { next: 'rest' };
  for (const pod of lost) await endLost(pod, context);
  return { next: 'rest' };
};

const endLost = async (pod: SchedulablePod, { kube, clock, signal }: ReconcileContext): Promise<void> => {
  const { uid = '', resourceVersion } = pod.metadata;
  if (!isTerminal(pod)) {
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
    const why = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      ...why,
      lastTransitionTime: toTimestamp(clock.now()),
    };
    const status = { phase: 'Failed', conditions: [...others, condition] };
    const body = { metadata: { uid, resourceVersion }, status };
    await kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
  }
  await kube.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
};

const trimTerminated = async (
  { pods, terminatedMax = TERMINATED_MAX }: PodGarbageParts,
  { kube, signal }: ReconcileContext,
): Promise<Verdict> => {
  if (pods.size <= terminatedMax) return { next: 'rest' };
  const bornMs = ({ metadata }: SchedulablePod): number => parseTimestamp(metadata.creationTimestamp) ?? 0;
  const over = pods.list().filter((pod) => isTerminal(pod) && pod.metadata.deletionTimestamp === undefined);
  const surplus = Math.max(0, over.length - terminatedMax);
  const oldest = over.sort((left, right) => bornMs(left) - bornMs(right)).slice(0, surplus);
  for (const pod of oldest) {
    const { uid = '' } = pod.metadata;
    await kube.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  }
  return { next: 'rest' };
};
