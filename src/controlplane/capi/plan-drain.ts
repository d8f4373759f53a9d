/** Which Pods of a Node a drain evicts, waits for or leaves, and how it is told, as Cluster API's own drain does. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import { matchesLabels } from '../core/label-selector.ts';
import { controllerOf } from '../core/owner-references.ts';
import { isTerminal, type SchedulablePod } from '../core/scheduling/schedulable.ts';
import type { PodDisruptionBudget } from '../core/workloads/replicated.ts';

/** On a Pod: `skip` leaves it alone, `wait-completed` waits for its own end. */
const DRAIN_LABEL = 'cluster.x-k8s.io/drain';
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export interface DrainPlan {
  readonly evict: readonly SchedulablePod[];
  /** Pods that a disruption budget holds, and why. */
  readonly blocked: readonly { readonly pod: SchedulablePod; readonly budget: string }[];
  readonly leaving: readonly SchedulablePod[];
  readonly completing: readonly SchedulablePod[];
}

export interface DrainScene {
  readonly pods: readonly SchedulablePod[];
  readonly budgets: readonly PodDisruptionBudget[];
  /** A Node that is not heard of ends no Pod: those that were asked to go a second ago count as gone. */
  readonly node: 'reachable' | 'unreachable';
  readonly nowMs: number;
}

const UNREACHABLE_GRACE_MS = 1_000;

export const planDrain = ({ pods, budgets, node, nowMs }: DrainScene): DrainPlan => {
  const isGone = ({ metadata }: SchedulablePod): boolean => {
    const sinceMs = parseTimestamp(metadata.deletionTimestamp);
    return node === 'unreachable' && sinceMs !== undefined && nowMs - sinceMs > UNREACHABLE_GRACE_MS;
  };
  const drained = pods.filter((pod) => !isGone(pod) && !isIgnored(pod)).sort(byKey);
  const isCompleting = ({ metadata }: SchedulablePod): boolean => metadata.labels?.[DRAIN_LABEL] === 'wait-completed';
  const isLeaving = ({ metadata }: SchedulablePod): boolean => metadata.deletionTimestamp !== undefined;
  const rest = drained.filter((pod) => !isCompleting(pod) && !isLeaving(pod));
  const judged = rest.map((pod) => ({ pod, budget: findBlocking(pod, budgets) }));
  return {
    evict: judged.flatMap(({ pod, budget }) => (budget === undefined ? [pod] : [])),
    blocked: judged.flatMap(({ pod, budget }) => (budget === undefined ? [] : [{ pod, budget }])),
    leaving: drained.filter((pod) => !isCompleting(pod) && isLeaving(pod)),
    completing: drained.filter((pod) => isCompleting(pod) && !isTerminal(pod)),
  };
};

export const isDrained = ({ evict, blocked, leaving, completing }: DrainPlan): boolean =>
  evict.length + blocked.length + leaving.length + completing.length === 0;

const isIgnored = (pod: SchedulablePod): boolean => {
  const { annotations, labels } = pod.metadata;
  if (annotations?.[MIRROR_ANNOTATION] !== undefined || labels?.[DRAIN_LABEL] === 'skip') return true;
  return controllerOf(pod)?.kind === 'DaemonSet' && !isTerminal(pod);
};

/** A budget that allows nothing now. What is over, or never ran, needs no budget; the API has the last word anyway. */
const findBlocking = (pod: SchedulablePod, budgets: readonly PodDisruptionBudget[]): string | undefined => {
  if (isTerminal(pod) || pod.status?.phase === 'Pending') return undefined;
  const blocking = budgets.find(
    ({ metadata, spec, status }) =>
      metadata.namespace === pod.metadata.namespace &&
      spec.selector !== undefined &&
      matchesLabels(spec.selector, pod.metadata.labels) &&
      status?.observedGeneration === metadata.generation &&
      (status?.disruptionsAllowed ?? 0) <= 0,
  );
  return blocking?.metadata.name;
};

const byKey = (left: KubeObject, right: KubeObject): number =>
  renderKey(keyOf(left)) < renderKey(keyOf(right)) ? -1 : 1;

const SHOWN_MAX = 3;

/** What still keeps the drain, in the form of Cluster API's condition message. */
export const renderDrain = (plan: DrainPlan, startedAt: string): string => {
  const budgets = [...new Set(plan.blocked.map(({ budget }) => budget))].sort();
  const lines = [
    line(plan.leaving, 'deletionTimestamp set, but still not removed from the Node'),
    ...budgets.map((budget) =>
      line(
        plan.blocked.flatMap((entry) => (entry.budget === budget ? [entry.pod] : [])),
        `cannot evict pod as it would violate the pod's disruption budget. The disruption budget ${budget} allows no disruption now`,
      ),
    ),
    line(plan.evict, 'eviction was asked for'),
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
