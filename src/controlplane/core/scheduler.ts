/**
 * The scheduler: binds Pods without a Node to one that fits. Event-driven: a Pod that fits nowhere says so and is looked at
 * again when a Node changes in a way that matters, or when a place becomes free. Preferences, priorities, preemption, cpu
 * and memory are not weighed.
 */
import { toTimestamp } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { isEqualJson } from '../../base/json.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import type { Change } from '../../kube/cache/object-store.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { type Node, PODS } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import { planPlacement } from './plan-placement.ts';
import { isNodeReady, isTerminal, isUnbound, type SchedulablePod } from './schedulable.ts';

/** The indexes that a cache of Pods needs for the scheduler. */
export const SCHEDULER_INDEXES = {
  unbound: (pod: SchedulablePod): readonly string[] => (isUnbound(pod) ? ['yes'] : []),
  /** Pods that take a place on the Node. */
  node: (pod: SchedulablePod): readonly string[] =>
    pod.spec.nodeName === undefined || isTerminal(pod) ? [] : [pod.spec.nodeName],
};

export interface SchedulerParts {
  readonly pods: Cache<SchedulablePod>;
  readonly nodes: Cache<Node>;
  readonly events: EventRecorder;
}

interface Binding extends KubeObject {
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

export const createScheduler = (parts: SchedulerParts): Controller => {
  const { pods, nodes } = parts;
  const allUnbound = (): readonly string[] => pods.byIndex('unbound', 'yes').map((pod) => renderKey(keyOf(pod)));
  const assumed = createAssumed(pods);
  return createController({
    name: 'scheduler',
    watches: [
      watchPrimary(pods),
      watchMapped(pods, (change) => (freesPlace(change) ? allUnbound() : [])),
      watchMapped(nodes, (change) => (mattersToPods(change) ? allUnbound() : [])),
    ],
    reconcile: (context) => schedule({ ...parts, assumed }, context),
    // Each decision must see the one before it.
    workers: 1,
  });
};

/** Bindings that we made and the cache has not shown yet: they take their place already. */
interface Assumed {
  add(pod: SchedulablePod, nodeName: string): void;
  drop(pod: SchedulablePod): void;
  has(pod: SchedulablePod): boolean;
  countOn(nodeName: string): number;
}

const createAssumed = (pods: Cache<SchedulablePod>): Assumed => {
  const nodeByUid = new Map<string, { readonly key: string; readonly nodeName: string }>();
  /** What the cache shows by now, or will never show because the Pod is gone, is no assumption any more. */
  const forgetSeen = (): void => {
    for (const [uid, { key }] of nodeByUid) {
      const held = pods.get(key);
      if (held?.metadata.uid !== uid || held.spec.nodeName !== undefined) nodeByUid.delete(uid);
    }
  };
  return {
    add: (pod, nodeName) => nodeByUid.set(uidOf(pod), { key: renderKey(keyOf(pod)), nodeName }),
    drop: (pod) => nodeByUid.delete(uidOf(pod)),
    has: (pod) => nodeByUid.has(uidOf(pod)),
    countOn: (nodeName) => {
      forgetSeen();
      return [...nodeByUid.values()].filter((entry) => entry.nodeName === nodeName).length;
    },
  };
};

const uidOf = ({ metadata }: SchedulablePod): string => metadata.uid ?? '';

const schedule = async (
  parts: SchedulerParts & { readonly assumed: Assumed },
  context: ReconcileContext,
): Promise<Verdict> => {
  const { pods, nodes, events, assumed } = parts;
  const pod = pods.get(context.key);
  if (pod === undefined || !isUnbound(pod) || assumed.has(pod)) return { next: 'rest' };
  const podsOn = (name: string): number => pods.byIndex('node', name).length + assumed.countOn(name);
  const placement = planPlacement(pod, nodes.list(), podsOn);
  if (placement.kind === 'unschedulable') {
    await reportUnschedulable(pod, placement.message, context);
    events.publish(PODS, pod, [{ type: 'Warning', reason: 'FailedScheduling', message: placement.message }]);
    return { next: 'rest' };
  }
  const isBound = await bind(pod, placement.nodeName, { assumed, context });
  if (!isBound) return { next: 'rest' };
  const message = `Successfully assigned ${context.key} to ${placement.nodeName}`;
  events.publish(PODS, pod, [{ type: 'Normal', reason: 'Scheduled', message }]);
  return { next: 'rest' };
};

/** False when the Pod was bound by somebody else or is gone: the cache will tell. */
const bind = async (
  pod: SchedulablePod,
  nodeName: string,
  { assumed, context }: { readonly assumed: Assumed; readonly context: ReconcileContext },
): Promise<boolean> => {
  const { uid = '', name, namespace = '' } = pod.metadata;
  const body: Binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  };
  assumed.add(pod, nodeName);
  try {
    await context.kube.createSubresource(PODS, keyOf(pod), { subresource: 'binding', body, signal: context.signal });
    return true;
  } catch (error) {
    assumed.drop(pod);
    if (isKind(error, 'conflict', 'not-found')) return false;
    throw error;
  }
};

const reportUnschedulable = async (
  pod: SchedulablePod,
  message: string,
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  const conditions = pod.status?.conditions ?? [];
  const earlier = conditions.find(({ type }) => type === 'PodScheduled');
  const isTold = earlier?.status === 'False' && earlier.message === message && earlier.reason === 'Unschedulable';
  if (isTold) return;
  const lastTransitionTime = earlier?.status === 'False' ? earlier.lastTransitionTime : toTimestamp(clock.now());
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
  const others = conditions.filter(({ type }) => type !== 'PodScheduled');
  const { uid, resourceVersion } = pod.metadata;
  const body = { metadata: { uid, resourceVersion }, status: { conditions: [...others, condition] } };
  await kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
};

const freesPlace = (change: Change<SchedulablePod>): boolean => {
  const takesPlace = (pod: SchedulablePod): boolean => pod.spec.nodeName !== undefined && !isTerminal(pod);
  if (change.type === 'added') return false;
  return takesPlace(change.old) && (change.type === 'deleted' || !takesPlace(change.object));
};

const mattersToPods = (change: Change<Node>): boolean =>
  change.type !== 'updated' || !isEqualJson(factsOf(change.old), factsOf(change.object));

/** What of a Node decides whether a Pod fits. */
const factsOf = (node: Node): unknown => [
  node.metadata.labels,
  node.metadata.deletionTimestamp,
  node.spec?.unschedulable,
  node.spec?.taints,
  node.status?.allocatable,
  isNodeReady(node),
];
