/** ReplicaSets: as many Pods of one template as wanted. What to claim, make and delete is planned in plan-replica-set.ts. */
import type { Cache } from '../../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../kube/controller/events.ts';
import { saveObject } from '../../../kube/controller/save.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { PODS } from '../../../kube/types/core.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { createUnlessEnding } from '../create-unless-ending.ts';
import { matchesLabels } from '../label-selector.ts';
import { controllerKeyOf, controllerOf, referToController } from '../owner-references.ts';
import { createUsedNames, planNames, type UsedNames } from '../stable-names.ts';
import { watchBoth } from '../watch-related.ts';
import { planClaims, settleClaims } from './claims.ts';
import { planReplicaSet } from './plan-replica-set.ts';
import { isActive } from './pods-of.ts';
import { REPLICA_SETS, type ReplicaSet } from './replicated.ts';

export interface ReplicaSetParts {
  /** With index `namespace`. */
  readonly replicaSets: Cache<ReplicaSet>;
  /** With index `namespace`. */
  readonly pods: Cache<Pod>;
  readonly events: EventRecorder;
}

export const createReplicaSetController = (parts: ReplicaSetParts): Controller => {
  const used = createUsedNames();
  return createController({
    name: 'replicasets',
    watches: [watchPrimary(parts.replicaSets), watchBoth(parts.pods, (pod) => setsOf(parts, pod))],
    reconcile: (context) => reconcileSet({ ...parts, used }, context),
  });
};

interface Known extends ReplicaSetParts {
  readonly used: UsedNames;
}

/** The set that has the Pod, or those that may want it. */
const setsOf = ({ replicaSets }: ReplicaSetParts, pod: Pod): readonly string[] => {
  if (controllerOf(pod) !== undefined) return controllerKeyOf(REPLICA_SETS, pod);
  return replicaSets
    .byIndex('namespace', pod.metadata.namespace ?? '')
    .filter(({ spec }) => matchesLabels(spec.selector, pod.metadata.labels))
    .map((set) => renderKey(keyOf(set)));
};

const reconcileSet = async (parts: Known, context: ReconcileContext): Promise<Verdict> => {
  const set = parts.replicaSets.get(context.key);
  if (set === undefined) parts.used.forget(context.key);
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const around = parts.pods.byIndex('namespace', set.metadata.namespace ?? '');
  const claims = planClaims(set, around, isActive);
  await settleClaims({ claimants: REPLICA_SETS, claimed: PODS }, { claimant: set, claims }, context);
  const plan = planReplicaSet(set, claims.owned, context.clock.now());
  const { kube, signal } = context;
  const taken = new Set([...namesOf(around), ...parts.used.add(set, namesOf(claims.owned))]);
  for (const name of planNames(set, plan.create, taken)) {
    const pod = await createUnlessEnding(PODS, renderPod(set, name), context);
    if (pod === undefined) break;
    announce(parts, set, { reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
  }
  for (const pod of plan.remove) {
    await kube.delete(PODS, keyOf(pod), { preconditions: { uid: pod.metadata.uid ?? '' }, signal });
    announce(parts, set, { reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
  }
  await saveObject(REPLICA_SETS, { stored: set, found: set, after: { ...set, status: plan.status } }, context);
  if (plan.lookAgainAtMs === undefined) return { next: 'rest' };
  return { next: 'again', afterMs: plan.lookAgainAtMs - context.clock.now() };
};

const namesOf = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name);

const announce = (
  { events }: ReplicaSetParts,
  set: ReplicaSet,
  told: { readonly reason: string; readonly message: string },
): void => events.publish(REPLICA_SETS, set, [{ type: 'Normal', ...told }]);

const renderPod = (set: ReplicaSet, name: string): Pod => {
  const { metadata = {}, spec } = set.spec.template;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      namespace: set.metadata.namespace ?? '',
      ...(metadata.labels !== undefined && { labels: metadata.labels }),
      ...(metadata.annotations !== undefined && { annotations: metadata.annotations }),
      ownerReferences: [referToController(REPLICA_SETS, set)],
    },
    spec,
  };
};
