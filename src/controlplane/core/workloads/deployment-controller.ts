/** Deployments: a ReplicaSet per template, and Pods moved from one to the next. Planned in plan-deployment.ts. */
import { isEqualJson } from '../../../base/json.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../kube/controller/events.ts';
import { diffMerge } from '../../../kube/controller/merge-patch.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { keyOf, renderKey } from '../../../kube/types/meta.ts';
import { createUnlessEnding } from '../create-unless-ending.ts';
import { matchesLabels } from '../label-selector.ts';
import { controllerKeyOf, controllerOf } from '../owner-references.ts';
import { watchBoth } from '../watch-related.ts';
import { planClaims, settleClaims } from './claims.ts';
import { revisionAnnotation } from './deployment-sets.ts';
import { nextLookMs, renderStatus } from './deployment-status.ts';
import { type DeploymentPlan, planDeployment } from './plan-deployment.ts';
import { DEPLOYMENTS, type Deployment, REPLICA_SETS, type ReplicaSet } from './replicated.ts';

export interface DeploymentParts {
  /** Both with index `namespace`. */
  readonly deployments: Cache<Deployment>;
  readonly replicaSets: Cache<ReplicaSet>;
  readonly events: EventRecorder;
}

export const createDeploymentController = (parts: DeploymentParts): Controller =>
  createController({
    name: 'deployments',
    watches: [watchPrimary(parts.deployments), watchBoth(parts.replicaSets, (set) => deploymentsOf(parts, set))],
    reconcile: (context) => reconcileDeployment(parts, context),
  });

const deploymentsOf = ({ deployments }: DeploymentParts, set: ReplicaSet): readonly string[] => {
  if (controllerOf(set) !== undefined) return controllerKeyOf(DEPLOYMENTS, set);
  return deployments
    .byIndex('namespace', set.metadata.namespace ?? '')
    .filter(({ spec }) => matchesLabels(spec.selector, set.metadata.labels))
    .map((deployment) => renderKey(keyOf(deployment)));
};

const reconcileDeployment = async (parts: DeploymentParts, context: ReconcileContext): Promise<Verdict> => {
  const deployment = parts.deployments.get(context.key);
  if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const around = parts.replicaSets.byIndex('namespace', deployment.metadata.namespace ?? '');
  const claims = planClaims(deployment, around);
  await settleClaims({ claimants: DEPLOYMENTS, claimed: REPLICA_SETS }, { claimant: deployment, claims }, context);
  const sets = claims.owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const plan = planDeployment(deployment, sets);
  await carryOut(parts, { deployment, plan }, context);
  const nowMs = context.clock.now();
  const facts = { deployment, current: plan.current, sets, created: plan.create?.metadata.name, nowMs };
  const saved = await save(deployment, { status: renderStatus(facts), revision: plan.revision }, context);
  const afterMs = nextLookMs(saved, nowMs);
  return afterMs === undefined ? { next: 'rest' } : { next: 'again', afterMs };
};

const carryOut = async (
  parts: DeploymentParts,
  { deployment, plan }: { readonly deployment: Deployment; readonly plan: DeploymentPlan },
  { kube, signal }: ReconcileContext,
): Promise<void> => {
  const tell = (message: string): void =>
    parts.events.publish(DEPLOYMENTS, deployment, [{ type: 'Normal', reason: 'ScalingReplicaSet', message }]);
  if (plan.create !== undefined) {
    if ((await createUnlessEnding(REPLICA_SETS, plan.create, { kube, signal })) === undefined) return;
    tell(`Scaled up replica set ${plan.create.metadata.name} from 0 to ${plan.create.spec.replicas ?? 0}`);
  }
  const annotated = annotationPatch(plan);
  const touched = [...plan.scale];
  if (annotated !== undefined && plan.current !== undefined && !touched.some(({ set }) => set === plan.current)) {
    touched.push({ set: plan.current, replicas: plan.current.spec.replicas ?? 1 });
  }
  for (const { set, replicas, annotations: told } of touched) {
    const { uid, resourceVersion, name } = set.metadata;
    const annotations = set === plan.current ? annotated : told;
    const metadata = { uid, resourceVersion, ...(annotations !== undefined && { annotations }) };
    await kube.patch(REPLICA_SETS, keyOf(set), { type: 'merge', body: { metadata, spec: { replicas } } }, { signal });
    const before = set.spec.replicas ?? 1;
    if (before !== replicas)
      tell(`Scaled ${replicas > before ? 'up' : 'down'} replica set ${name} from ${before} to ${replicas}`);
  }
  for (const set of plan.remove) {
    await kube.delete(REPLICA_SETS, keyOf(set), { preconditions: { uid: set.metadata.uid ?? '' }, signal });
  }
};

/** What the present set's annotations lack. */
const annotationPatch = ({ current, annotate }: DeploymentPlan): Readonly<Record<string, string>> | undefined => {
  const held = current?.metadata.annotations ?? {};
  if (annotate === undefined || isEqualJson({ ...held, ...annotate }, held)) return undefined;
  return annotate;
};

/** The revision is an annotation, and so another write than the status; it comes first and is rare. */
const save = async (
  deployment: Deployment,
  { status, revision }: { readonly status: NonNullable<Deployment['status']>; readonly revision: bigint | undefined },
  { kube, signal }: ReconcileContext,
): Promise<Deployment> => {
  const send = (object: Deployment, body: object, options: { readonly subresource?: 'status' } = {}) => {
    const { uid, resourceVersion } = object.metadata;
    const metadata = { uid, resourceVersion, ...('annotations' in body ? { annotations: body.annotations } : {}) };
    const rest = 'status' in body ? { status: body.status } : {};
    return kube.patch(
      DEPLOYMENTS,
      keyOf(object),
      { type: 'merge', body: { metadata, ...rest } },
      { signal, ...options },
    );
  };
  let saved = deployment;
  const annotations = revision === undefined ? {} : revisionAnnotation(revision);
  const held = deployment.metadata.annotations ?? {};
  if (!isEqualJson({ ...held, ...annotations }, held)) saved = await send(saved, { annotations });
  const difference = diffMerge(deployment.status, status);
  return difference === undefined ? saved : send(saved, { status: difference }, { subresource: 'status' });
};
