/**
 * The scheduler: binds Pods without a Node to one that fits, the most important first. Event-driven: a Pod that fits nowhere
 * says so and is looked at again when a Node changes in a way that matters, or when a place becomes free. A Pod that asks
 * for what is not supported here stays Pending and says what that is; wishes that are not weighed are told as an event.
 */
import { toTimestamp } from '../../../base/clock.ts';
import { isKind } from '../../../base/errors.ts';
import { isEqualJson } from '../../../base/json.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import type { Change } from '../../../kube/cache/object-store.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
} from '../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../kube/controller/events.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { type Node, PODS } from '../../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../../kube/types/meta.ts';
import { createNodeLoads, type NodeLoads } from './node-loads.ts';
import { findUnweighed, type Placement, planPlacement } from './plan-placement.ts';
import { isNodeReady, isTerminal, isUnbound, type SchedulablePod } from './schedulable.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

const isPlaced = ({ spec }: SchedulablePod): boolean => spec.nodeName !== undefined && spec.nodeName !== '';

/** The indexes that a cache of Pods needs for the scheduler and for those who look after Nodes. */
export const SCHEDULER_INDEXES = {
  unbound: (pod: SchedulablePod): readonly string[] => (isUnbound(pod) ? ['yes'] : []),
  /** Pods that take a place on the Node. */
  node: (pod: SchedulablePod): readonly string[] =>
    isPlaced(pod) && !isTerminal(pod) ? [pod.spec.nodeName ?? ''] : [],
  /** Pods that are or were on the Node. */
  assigned: (pod: SchedulablePod): readonly string[] => (isPlaced(pod) ? [pod.spec.nodeName ?? ''] : []),
};

export interface SchedulerParts {
  readonly pods: Cache<SchedulablePod>;
  readonly nodes: Cache<Node>;
  readonly events: EventRecorder;
}

interface Binding extends KubeObject {
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

const BINDINGS_AT_ONCE = 16;

export const createScheduler = (parts: SchedulerParts): Controller => {
  const { pods, nodes } = parts;
  const line = createWaitingLine(pods);
  const loads = createNodeLoads(pods);
  const allUnbound = (): readonly string[] => line.join(pods.byIndex('unbound', 'yes'));
  return createController({
    name: 'scheduler',
    watches: [
      watchMapped(pods, (change) => (isNewToSchedule(change) ? line.join([change.object]) : [])),
      watchMapped(pods, (change) => (freesPlace(change) ? allUnbound() : [])),
      watchMapped(nodes, (change) => (mattersToPods(change) ? allUnbound() : [])),
    ],
    // A key says that somebody waits, not whose turn it is.
    reconcile: (context) => scheduleNext({ ...parts, line, loads }, context),
    // A decision and what it assumes are one step: the next one sees it while the binding is still on its way to the disk.
    workers: BINDINGS_AT_ONCE,
  });
};

interface Scene extends SchedulerParts {
  readonly line: WaitingLine;
  readonly loads: NodeLoads;
}

const scheduleNext = async (scene: Scene, context: ReconcileContext): Promise<Verdict> => {
  const pod = scene.line.next();
  if (pod === undefined || !isUnbound(pod) || scene.loads.isAssumed(pod)) return { next: 'rest' };
  try {
    await schedule(scene, pod, context);
    return { next: 'rest' };
  } catch (error) {
    scene.line.join([pod]);
    throw error;
  }
};

const schedule = async (
  { nodes, events, loads }: Scene,
  pod: SchedulablePod,
  context: ReconcileContext,
): Promise<void> => {
  const placement = planPlacement(pod, nodes.list(), loads.loadOf);
  if (placement.kind !== 'bind') {
    await reportWaiting(pod, placement, context);
    const told = { type: 'Warning', reason: 'FailedScheduling', message: placement.message } as const;
    if (placement.kind === 'unschedulable') events.publish(PODS, pod, [told]);
    return;
  }
  const isBound = await bind(pod, placement.nodeName, { loads, context });
  if (!isBound) return;
  const message = `Successfully assigned ${renderKey(keyOf(pod))} to ${placement.nodeName}`;
  const unweighed = findUnweighed(pod);
  const ignored = `the embedded scheduler does not weigh ${unweighed.join(', ')}`;
  events.publish(PODS, pod, [
    { type: 'Normal', reason: 'Scheduled', message },
    ...(unweighed.length === 0 ? [] : [{ type: 'Warning', reason: 'PreferenceNotWeighed', message: ignored } as const]),
  ]);
};

/** False when the Pod was bound by somebody else or is gone: the cache will tell. */
const bind = async (
  pod: SchedulablePod,
  nodeName: string,
  { loads, context }: { readonly loads: NodeLoads; readonly context: ReconcileContext },
): Promise<boolean> => {
  const { uid = '', name, namespace = '' } = pod.metadata;
  const body: Binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  };
  loads.assume(pod, nodeName);
  try {
    await context.kube.createSubresource(PODS, keyOf(pod), { subresource: 'binding', body, signal: context.signal });
    return true;
  } catch (error) {
    loads.drop(pod);
    if (isKind(error, 'conflict', 'not-found')) return false;
    throw error;
  }
};

const reportWaiting = async (
  pod: SchedulablePod,
  { kind, message }: Exclude<Placement, { readonly kind: 'bind' }>,
  { kube, clock, signal }: ReconcileContext,
): Promise<void> => {
  const reason = kind === 'gated' ? 'SchedulingGated' : 'Unschedulable';
  const conditions = pod.status?.conditions ?? [];
  const earlier = conditions.find(({ type }) => type === 'PodScheduled');
  const isTold = earlier?.status === 'False' && earlier.message === message && earlier.reason === reason;
  if (isTold) return;
  const lastTransitionTime = earlier?.status === 'False' ? earlier.lastTransitionTime : toTimestamp(clock.now());
  const condition = { type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime };
  const others = conditions.filter(({ type }) => type !== 'PodScheduled');
  const { uid, resourceVersion } = pod.metadata;
  const body = { metadata: { uid, resourceVersion }, status: { conditions: [...others, condition] } };
  await kube.patch(PODS, keyOf(pod), { type: 'merge', body }, { subresource: 'status', signal });
};

type Held = Exclude<Change<SchedulablePod>, { readonly type: 'deleted' }>;

/** A Pod that was never looked at, or asks for something else than before. */
const isNewToSchedule = (change: Change<SchedulablePod>): change is Held => {
  if (change.type === 'deleted' || !isUnbound(change.object)) return false;
  return change.type === 'added' || !isUnbound(change.old) || !isEqualJson(change.old.spec, change.object.spec);
};

const freesPlace = (change: Change<SchedulablePod>): boolean => {
  const takesPlace = (pod: SchedulablePod): boolean => isPlaced(pod) && !isTerminal(pod);
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
