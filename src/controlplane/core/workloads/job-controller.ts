/** Jobs: Pods until enough of them succeeded or too many failed. What to do is planned in plan-job.ts and claims.ts. */
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
import { type LabelSelector, matchesLabels } from '../label-selector.ts';
import { byControllerUid, controllerKeyOf, controllerOf, referToController } from '../owner-references.ts';
import { planNames } from '../stable-names.ts';
import { watchBoth } from '../watch-related.ts';
import { type Claims, isStaying, planClaims, settleClaims } from './claims.ts';
import { isTracked } from './count-pods.ts';
import { findEnd, hasEnded, isOurs, JOB_TRACKING, JOBS, type Job } from './job.ts';
import { planJob } from './plan-job.ts';

export interface JobControllerParts {
  /** With index `namespace`. */
  readonly jobs: Cache<Job>;
  /** With JOB_INDEXES. */
  readonly pods: Cache<Pod>;
  readonly events: EventRecorder;
}

/** The indexes that a cache of Pods needs for Jobs: the UID of its controller, the key of its Job, or where nobody has it. */
export const JOB_INDEXES = {
  controller: byControllerUid,
  job: (pod: Pod): readonly string[] => controllerKeyOf(JOBS, pod),
  orphan: (pod: Pod): readonly string[] => (controllerOf(pod) === undefined ? [pod.metadata.namespace ?? ''] : []),
};

export const createJobController = (parts: JobControllerParts): Controller =>
  createController({
    name: 'jobs',
    watches: [watchPrimary(parts.jobs), watchBoth(parts.pods, (pod) => jobsOf(parts, pod))],
    reconcile: (context) => reconcileJob(parts, context),
  });

/** The Job that has the Pod, or those that may want it. */
const jobsOf = ({ jobs }: JobControllerParts, pod: Pod): readonly string[] => {
  if (controllerOf(pod) !== undefined) return controllerKeyOf(JOBS, pod);
  return jobs
    .byIndex('namespace', pod.metadata.namespace ?? '')
    .filter((job) => matchesLabels(selectorOf(job), pod.metadata.labels))
    .map((job) => renderKey(keyOf(job)));
};

const selectorOf = ({ metadata, spec }: Job): LabelSelector =>
  spec.selector ?? { matchLabels: { 'batch.kubernetes.io/controller-uid': metadata.uid ?? '' } };

/** A Job that ended takes no more Pods; one that is on its way out may still be let go, because it is held for us. */
const planJobClaims = (job: Job, pods: Cache<Pod>): Claims<Pod> => {
  const own = pods.byIndex('controller', job.metadata.uid ?? '');
  if (hasEnded(job)) return { owned: own, adopt: [], release: [] };
  const free = pods.byIndex('orphan', job.metadata.namespace ?? '').filter(isStaying);
  return planClaims({ ...job, spec: { selector: selectorOf(job) } }, [...own, ...free], () => true);
};

const reconcileJob = async (
  { jobs, pods, events }: JobControllerParts,
  context: ReconcileContext,
): Promise<Verdict> => {
  const job = jobs.get(context.key);
  const orphans = pods.byIndex('job', context.key).filter((pod) => controllerOf(pod)?.uid !== job?.metadata.uid);
  await releaseAll(orphans.filter(isTracked), context);
  if (job === undefined || job.metadata.deletionTimestamp !== undefined || !isOurs(job)) return { next: 'rest' };
  const claims = planJobClaims(job, pods);
  const targets = { claimants: JOBS, claimed: PODS, finalizer: JOB_TRACKING };
  await settleClaims(targets, { claimant: job, claims }, context);
  const { owned } = claims;
  const plan = planJob(job, owned, context.clock.now());
  const { kube, signal } = context;
  await releaseAll(plan.drop.filter(isTracked), context);
  for (const pod of [...plan.remove, ...plan.drop]) {
    await kube.delete(PODS, keyOf(pod), { preconditions: { uid: pod.metadata.uid ?? '' }, signal });
  }
  const free = pods.byIndex('orphan', job.metadata.namespace ?? '');
  const taken = new Set([...owned, ...claims.release, ...free].map(({ metadata }) => metadata.name));
  for (const name of planNames(job, plan.create, taken)) {
    await createUnlessEnding(PODS, renderPod(job, name), context);
  }
  const after: Job = { ...job, status: plan.status };
  await saveObject(JOBS, { stored: job, found: job, after }, context);
  await releaseAll(plan.release, context);
  if (hasEnded(after) && !hasEnded(job)) announceEnd(events, after);
  if (plan.lookAgainAtMs === undefined) return { next: 'rest' };
  return { next: 'again', afterMs: Math.max(0, plan.lookAgainAtMs - context.clock.now()) };
};

/** Lets Pods go that are counted, or that nobody counts any more. */
const releaseAll = async (pods: readonly Pod[], { kube, signal }: ReconcileContext): Promise<void> => {
  for (const pod of pods) {
    const { uid, resourceVersion, finalizers = [] } = pod.metadata;
    const metadata = { uid, resourceVersion, finalizers: finalizers.filter((name) => name !== JOB_TRACKING) };
    await kube.patch(PODS, keyOf(pod), { type: 'merge', body: { metadata } }, { signal });
  }
};

const renderPod = (job: Job, name: string): Pod => {
  const { metadata = {}, spec } = job.spec.template;
  const uid = job.metadata.uid ?? '';
  const identity = { 'job-name': job.metadata.name, 'controller-uid': uid };
  const prefixed = { 'batch.kubernetes.io/job-name': job.metadata.name, 'batch.kubernetes.io/controller-uid': uid };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(job.metadata.namespace === undefined ? {} : { namespace: job.metadata.namespace }),
      labels: { ...metadata.labels, ...identity, ...prefixed },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      finalizers: [JOB_TRACKING],
      ownerReferences: [referToController(JOBS, job)],
    },
    spec,
  };
};

const announceEnd = (events: EventRecorder, job: Job): void => {
  const end = findEnd(job.status);
  const isComplete = end?.type === 'Complete';
  const told = isComplete
    ? { type: 'Normal' as const, reason: 'Completed', message: 'Job completed' }
    : { type: 'Warning' as const, reason: end?.reason ?? 'Failed', message: end?.message ?? 'Job failed' };
  events.publish(JOBS, job, [told]);
};
