/** PodDisruptionBudgets: keeps the number of Pods that may be evicted now. The API's eviction honours it. */
import type { Cache } from '../../../kube/cache/cache.ts';
import { setCondition } from '../../../kube/controller/conditions.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import { saveObject } from '../../../kube/controller/save.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { matchesLabels } from '../label-selector.ts';
import { controllerOf } from '../owner-references.ts';
import { isTerminal } from '../scheduling/schedulable.ts';
import { subjectOf } from '../watch-related.ts';
import type { Job } from './job.ts';
import { planBudget } from './plan-budget.ts';
import { type Deployment, POD_DISRUPTION_BUDGETS, type PodDisruptionBudget, type ReplicaSet } from './replicated.ts';

export interface BudgetParts {
  /** This and `pods` with index `namespace`. */
  readonly budgets: Cache<PodDisruptionBudget>;
  readonly pods: Cache<Pod>;
  readonly replicaSets: Cache<ReplicaSet>;
  readonly deployments: Cache<Deployment>;
  readonly jobs: Cache<Job>;
}

export const createBudgetController = (parts: BudgetParts): Controller => {
  const inNamespace = (namespace: string | undefined): readonly string[] =>
    parts.budgets.byIndex('namespace', namespace ?? '').map((budget) => renderKey(keyOf(budget)));
  const sizeChanges = <T extends Deployment | ReplicaSet>(cache: Cache<T>) =>
    watchMapped<T>(cache, (change) =>
      change.type === 'updated' && change.old.spec.replicas !== change.object.spec.replicas
        ? inNamespace(change.object.metadata.namespace)
        : [],
    );
  return createController({
    name: 'disruption-budgets',
    watches: [
      watchPrimary(parts.budgets),
      watchMapped(parts.pods, (change) => inNamespace(subjectOf(change).metadata.namespace)),
      sizeChanges(parts.deployments),
      sizeChanges(parts.replicaSets),
    ],
    reconcile: (context) => reconcileBudget(parts, context),
  });
};

const reconcileBudget = async (parts: BudgetParts, context: ReconcileContext): Promise<Verdict> => {
  const budget = parts.budgets.get(context.key);
  if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const nowMs = context.clock.now();
  const pods = parts.pods
    .byIndex('namespace', budget.metadata.namespace ?? '')
    .filter((pod) => !isTerminal(pod) && isSelected(budget, pod));
  const plan = planBudget(budget, { pods, expected: countExpected(parts, pods), nowMs });
  const isAllowed = (plan.status.disruptionsAllowed ?? 0) > 0;
  const conditions = setCondition(
    budget.status?.conditions,
    {
      ...{ type: 'DisruptionAllowed', status: isAllowed ? 'True' : 'False', message: '' },
      reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    },
    { nowMs, generation: budget.metadata.generation },
  );
  const after = { ...budget, status: { ...plan.status, conditions } };
  await saveObject(POD_DISRUPTION_BUDGETS, { stored: budget, found: budget, after }, context);
  if (plan.lookAgainAtMs === undefined) return { next: 'rest' };
  return { next: 'again', afterMs: Math.max(0, plan.lookAgainAtMs - nowMs) };
};

/** A budget without a selector is for nobody; an empty selector is for all. */
const isSelected = ({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean =>
  spec.selector !== undefined && matchesLabels(spec.selector, metadata.labels);

/** What the controllers of these Pods want, each controller counted once; a Pod without one counts as itself. */
const countExpected = (parts: BudgetParts, pods: readonly Pod[]): number => {
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const controller = controllerOf(pod);
    const key = `${pod.metadata.namespace}/${controller?.name}`;
    if (controller === undefined) wanted.set(pod.metadata.uid ?? pod.metadata.name, 1);
    else wanted.set(controller.uid, sizeOf(parts, controller.kind, key) ?? 1);
  }
  return [...wanted.values()].reduce((sum, count) => sum + count, 0);
};

/** A Deployment's own wish counts, not the size its present set has on the way. */
const sizeOf = ({ replicaSets, deployments, jobs }: BudgetParts, kind: string, key: string): number | undefined => {
  if (kind === 'Job') return jobs.get(key)?.spec.parallelism;
  const set = kind === 'ReplicaSet' ? replicaSets.get(key) : undefined;
  if (set === undefined) return undefined;
  const owner = controllerOf(set);
  const deployment = owner === undefined ? undefined : deployments.get(`${set.metadata.namespace}/${owner.name}`);
  return deployment?.spec.replicas ?? set.spec.replicas;
};
