/** Which Pods of a Node a drain evicts, waits for or leaves, and how it is told, as Cluster API's own drain does. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import { controllerOf } from '../core/owner-references.ts';
import { isTerminal, type SchedulablePod } from '../core/scheduling/schedulable.ts';

/** On a Pod: `skip` leaves it alone, `wait-completed` waits for its own end. */
const DRAIN_LABEL = 'cluster.x-k8s.io/drain';
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export interface DrainPlan {
  readonly evict: readonly SchedulablePod[];
  readonly leaving: readonly SchedulablePod[];
  readonly completing: readonly SchedulablePod[];
}

export interface DrainScene {
  readonly pods: readonly SchedulablePod[];
  /** A Node that is not heard of ends no Pod: those that were asked to go a second ago count as gone. */
  readonly node: 'reachable' | 'unreachable';
  readonly nowMs: number;
}

const UNREACHABLE_GRACE_MS = 1_000;

export const planDrain = ({ pods, node, nowMs }: DrainScene): DrainPlan => {
  const isGone = ({ metadata }: SchedulablePod): boolean => {
    const sinceMs = parseTimestamp(metadata.deletionTimestamp);
    return node === 'unreachable' && sinceMs !== undefined && nowMs - sinceMs > UNREACHABLE_GRACE_MS;
  };
  const drained = pods.filter((pod) => !isGone(pod) && !isIgnored(pod)).sort(byKey);
  const isCompleting = ({ metadata }: SchedulablePod): boolean => metadata.labels?.[DRAIN_LABEL] === 'wait-completed';
  const isLeaving = ({ metadata }: SchedulablePod): boolean => metadata.deletionTimestamp !== undefined;
  return {
    evict: drained.filter((pod) => !isCompleting(pod) && !isLeaving(pod)),
    leaving: drained.filter((pod) => !isCompleting(pod) && isLeaving(pod)),
    completing: drained.filter((pod) => isCompleting(pod) && !isTerminal(pod)),
  };
};

export const isDrained = ({ evict, leaving, completing }: DrainPlan): boolean =>
  evict.length + leaving.length + completing.length === 0;

const isIgnored = (pod: SchedulablePod): boolean => {
  const { annotations, labels } = pod.metadata;
  if (annotations?.[MIRROR_ANNOTATION] !== undefined || labels?.[DRAIN_LABEL] === 'skip') return true;
  return controllerOf(pod)?.kind === 'DaemonSet' && !isTerminal(pod);
};

const byKey = (left: KubeObject, right: KubeObject): number =>
  renderKey(keyOf(left)) < renderKey(keyOf(right)) ? -1 : 1;

const SHOWN_MAX = 3;

/** What an eviction came to when the API refused it, by the key of the Pod. */
export type Refusals = ReadonlyMap<string, string>;

/** What still keeps the drain, in the form of Cluster API's condition message. */
export const renderDrain = (plan: DrainPlan, refusals: Refusals, startedAt: string): string => {
  const refused = Map.groupBy(plan.evict, (pod) => refusals.get(renderKey(keyOf(pod))));
  const lines = [
    line(plan.leaving, 'deletionTimestamp set, but still not removed from the Node'),
    ...[...refused].flatMap(([why, pods]) => (why === undefined ? [] : [line(pods, `cannot evict pod: ${why}`)])),
    line(refused.get(undefined) ?? [], 'eviction was asked for'),
    line(plan.completing, 'waiting for completion'),
  ].flat();
  return [`Drain not completed yet (started at ${startedAt}):`, ...lines].join('\n');
};

const line = (pods: readonly SchedulablePod[], why: string): readonly string[] => {
  if (pods.length === 0) return [];
  const shown = pods.slice(0, SHOWN_MAX).map((pod) => renderKey(keyOf(pod)));
  const more = pods.length > SHOWN_MAX ? `, ... (${pods.length - SHOWN_MAX} more)` : '';
  return [`* Pod${pods.length > 1 ? 's' : ''} ${shown.join(', ')}${more}: ${why}`];
};
