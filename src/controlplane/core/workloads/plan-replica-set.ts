/** How a ReplicaSet gets to its number of Pods: what to make and delete, and what its status says. Pure. */
import type { Pod } from '../../../kube/types/pod.ts';
import { matchesLabels } from '../label-selector.ts';
import { availableAtMs, isActive, isPodReady, isTerminating, rankForRemoval } from './pods-of.ts';
import type { ReplicaSet } from './replicated.ts';

export interface ReplicaSetPlan {
  readonly create: number;
  readonly remove: readonly Pod[];
  readonly status: NonNullable<ReplicaSet['status']>;
  /** When a Pod that is ready will be available. */
  readonly lookAgainAtMs: number | undefined;
}

export const planReplicaSet = (set: ReplicaSet, owned: readonly Pod[], nowMs: number): ReplicaSetPlan => {
  const active = owned.filter(isActive);
  const missing = (set.spec.replicas ?? 1) - active.length;
  const template = set.spec.template.metadata?.labels ?? {};
  const isFullyLabeled = ({ metadata }: Pod): boolean => matchesLabels({ matchLabels: template }, metadata.labels);
  const times = active.flatMap((pod) => availableAtMs(pod, set.spec.minReadySeconds ?? 0) ?? []);
  const later = times.filter((atMs) => atMs > nowMs);
  return {
    create: Math.max(0, missing),
    remove: missing < 0 ? rankForRemoval(active).slice(0, -missing) : [],
    lookAgainAtMs: later.length === 0 ? undefined : Math.min(...later),
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.filter(isFullyLabeled).length,
      readyReplicas: active.filter(isPodReady).length,
      availableReplicas: times.length - later.length,
      terminatingReplicas: owned.filter(isTerminating).length,
      ...(set.metadata.generation !== undefined && { observedGeneration: set.metadata.generation }),
    },
  };
};
