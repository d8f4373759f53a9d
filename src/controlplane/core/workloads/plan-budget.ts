/** How many Pods of a disruption budget may go now, as Kubernetes counts. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { scaleOf } from './int-or-percent.ts';
import { isPodReady } from './pods-of.ts';
import type { PodDisruptionBudget } from './replicated.ts';

/** An eviction that was granted and after this time still shows no deletion has failed. */
const DELETION_TIMEOUT_MS = 120_000;

export interface BudgetFacts {
  /** All Pods that the budget selects and that are not over. */
  readonly pods: readonly Pod[];
  /** How many Pods their controllers want in all. */
  readonly expected: number;
  readonly nowMs: number;
}

type BudgetStatus = Omit<NonNullable<PodDisruptionBudget['status']>, 'conditions'>;

export interface BudgetPlan {
  readonly status: BudgetStatus;
  readonly lookAgainAtMs: number | undefined;
}

export const planBudget = (budget: PodDisruptionBudget, { pods, expected, nowMs }: BudgetFacts): BudgetPlan => {
  const disrupted = stillDisrupted(budget, pods, nowMs);
  const isHealthy = (pod: Pod): boolean =>
    pod.metadata.deletionTimestamp === undefined && !Object.hasOwn(disrupted, pod.metadata.name) && isPodReady(pod);
  const currentHealthy = pods.filter(isHealthy).length;
  const { expectedPods, desiredHealthy } = wishOf(budget, pods.length, expected);
  const ends = Object.values(disrupted).flatMap((at) => parseTimestamp(at) ?? []);
  return {
    status: {
      ...(budget.metadata.generation !== undefined && { observedGeneration: budget.metadata.generation }),
      ...{ currentHealthy, desiredHealthy, expectedPods },
      disruptionsAllowed: expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy),
      ...(ends.length > 0 && { disruptedPods: disrupted }),
    },
    lookAgainAtMs: ends.length === 0 ? undefined : Math.min(...ends) + DELETION_TIMEOUT_MS,
  };
};

const wishOf = ({ spec }: PodDisruptionBudget, found: number, expected: number) => {
  if (spec.maxUnavailable !== undefined) {
    const fewer = scaleOf(spec.maxUnavailable, expected, 'up');
    return { expectedPods: expected, desiredHealthy: Math.max(0, expected - fewer) };
  }
  const least = spec.minAvailable ?? 0;
  if (typeof least === 'number') return { expectedPods: found, desiredHealthy: least };
  return { expectedPods: expected, desiredHealthy: scaleOf(least, expected, 'up') };
};

/** Granted evictions whose Pods do not show it yet. */
const stillDisrupted = (
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): Readonly<Record<string, string>> => {
  const isOpen = ([name, at]: readonly [string, string]): boolean =>
    pods.some(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined) &&
    nowMs < (parseTimestamp(at) ?? 0) + DELETION_TIMEOUT_MS;
  return Object.fromEntries(Object.entries(status?.disruptedPods ?? {}).filter(isOpen));
};
