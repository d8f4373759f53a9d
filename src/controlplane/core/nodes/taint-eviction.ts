/** Makes Pods leave Nodes with NoExecute taints that they do not tolerate, or do not tolerate for so long. */
import { toTimestamp } from '../../../base/clock.ts';
import { isEqualJson } from '../../../base/json.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import type { Change } from '../../../kube/cache/object-store.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../kube/controller/events.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { type Node, PODS } from '../../../kube/types/core.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import type { SchedulablePod } from '../scheduling/schedulable.ts';
import { isTerminal } from '../scheduling/schedulable.ts';
import { subjectOf } from '../watch-related.ts';
import { planEviction } from './plan-eviction.ts';

export interface TaintEvictionParts {
  readonly nodes: Cache<Node>;
  /** With index `node`. */
  readonly pods: Cache<SchedulablePod>;
  readonly events: EventRecorder;
}

export const createTaintEviction = (parts: TaintEvictionParts): Controller =>
  createController({
    name: 'taint-eviction',
    watches: [
      watchPrimary(parts.pods),
      watchMapped(parts.nodes, (change) => {
        if (!changesTaints(change)) return [];
        const { name } = subjectOf(change).metadata;
        return parts.pods.byIndex('node', name).map((pod) => renderKey(keyOf(pod)));
      }),
    ],
    reconcile: (context) => judgePod(parts, context),
  });

const changesTaints = (change: Change<Node>): boolean => {
  const taintsOf = ({ spec }: Node): unknown => spec?.taints?.filter(({ effect }) => effect === 'NoExecute') ?? [];
  if (change.type !== 'updated') return change.type === 'added';
  return !isEqualJson(taintsOf(change.old), taintsOf(change.object));
};

const judgePod = async ({ nodes, pods, events }: TaintEvictionParts, context: ReconcileContext): Promise<Verdict> => {
  const pod = pods.get(context.key);
  const node = pod?.spec.nodeName === undefined ? undefined : nodes.get(pod.spec.nodeName);
  if (pod === undefined || node === undefined || isTerminal(pod)) return { next: 'rest' };
  if (pod.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const nowMs = context.clock.now();
  const atMs = planEviction(pod, node.spec?.taints ?? [], nowMs);
  if (atMs === undefined) return { next: 'rest' };
  if (atMs > nowMs) return { next: 'again', afterMs: atMs - nowMs };
  const message = `Marking for deletion Pod ${context.key}`;
  events.publish(PODS, pod, [{ type: 'Normal', reason: 'TaintManagerEviction', message }]);
  await endPod(pod, TAINT_CONDITION, context);
  return { next: 'rest' };
};

const TAINT_CONDITION = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };

interface Disruption {
  readonly reason: string;
  readonly message: string;
}

/** Says on the Pod why it is disrupted, then deletes it. */
const endPod = async (
  pod: SchedulablePod,
  why: Disruption,
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  const { uid = '', resourceVersion } = pod.metadata;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  const condition = { type: 'DisruptionTarget', status: 'True', ...why, lastTransitionTime: toTimestamp(clock.now()) };
  const body = { metadata: { uid, resourceVersion }, status: { conditions: [...others, condition] } };
  await kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
  await kube.delete(PODS, keyOf(pod), { preconditions: { uid }, signal });
};
