/** What a Job needs next: Pods to make, Pods to end, and the status that says how far it is. Pure. */
import { parseTimestamp, toTimestamp } from '../../../base/clock.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { isTerminal } from '../scheduling/schedulable.ts';
import { countPods, type EndCounts } from './count-pods.ts';
import { findUnsupported, hasEnded, type Job, type JobCondition, type JobStatus } from './job.ts';
import { retryAtMs } from './job-backoff.ts';
import { isActive, isPodReady, rankForRemoval } from './pods-of.ts';

export interface JobPlan {
  readonly create: number;
  /** Pods to end because the Job is over: each counts as a failure, as in Kubernetes. */
  readonly remove: readonly Pod[];
  /** Pods to end because there are too many: they count as nothing, so they are let go first. */
  readonly drop: readonly Pod[];
  /** Pods whose finalizer goes after the status is stored. */
  readonly release: readonly Pod[];
  readonly status: JobStatus;
  /** When time alone changes something. */
  readonly lookAgainAtMs: number | undefined;
}

type Cause = Pick<JobCondition, 'type' | 'reason' | 'message'>;

const BACKOFF_LIMIT = 6;

interface Scene {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ends: EndCounts;
  readonly nowMs: number;
}

/** Of a Job that ended, the Pods that still run are removed and nothing else happens. */
export const planJob = (job: Job, pods: readonly Pod[], nowMs: number): JobPlan => {
  const scene = { job, pods, active: pods.filter(isActive), ends: countPods(job.status ?? {}, pods), nowMs };
  if (hasEnded(job)) return planAfterlife(scene);
  const cause = findCause(scene);
  return cause === undefined ? planWork(scene) : planEnd(scene, cause);
};

const planAfterlife = ({ job, active, ends }: Scene): JobPlan => {
  const { uncountedTerminatedPods: _open, ...counted } = job.status ?? {};
  return {
    ...{ create: 0, remove: active, drop: [], release: ends.release },
    status: counted,
    lookAgainAtMs: undefined,
  };
};

const planWork = (scene: Scene): JobPlan => {
  const { job, active, ends, nowMs } = scene;
  const isSuspended = job.spec.suspend === true;
  const wanted = wantedActive(scene);
  const drop = rankForRemoval(active).slice(0, Math.max(0, active.length - wanted));
  const missing = Math.max(0, wanted - active.length);
  const waitUntilMs = missing === 0 ? undefined : retryAtMs(scene.pods, nowMs);
  const create = waitUntilMs === undefined ? missing : 0;
  const startTime = startOf(scene);
  const times = [waitUntilMs, deadlineMs(job, startTime)].flatMap((atMs) => atMs ?? []);
  const { startTime: _earlier, ...earlier } = job.status ?? {};
  return {
    ...{ create, drop, remove: [], release: ends.release },
    status: {
      ...earlier,
      ...countersOf(scene, { active: active.length - drop.length + create, dropped: drop }),
      ...(startTime !== undefined && { startTime }),
      ...conditionsOf(suspension(job.status, isSuspended ? 'True' : 'False', nowMs)),
    },
    lookAgainAtMs: times.length === 0 || isSuspended ? undefined : Math.min(...times),
  };
};

const conditionsOf = (conditions: readonly JobCondition[]): Pick<JobStatus, 'conditions'> =>
  conditions.length === 0 ? {} : { conditions };

/** A suspended Job has not started; one that goes on starts anew. */
const startOf = ({ job, nowMs }: Scene): string | undefined => {
  if (job.spec.suspend === true) return undefined;
  return job.status?.startTime ?? toTimestamp(nowMs);
};

const countersOf = (
  { active, pods, ends }: Scene,
  { active: activeCount, dropped }: { readonly active: number; readonly dropped: readonly Pod[] },
): JobStatus => ({
  ...ends.status,
  active: activeCount,
  ready: active.filter((pod) => isPodReady(pod) && !dropped.includes(pod)).length,
  terminating:
    pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isTerminal(pod)).length + dropped.length,
});

/** First that it is ending is told, then its Pods go, and when all are counted, how it ended. */
const planEnd = (scene: Scene, cause: Cause): JobPlan => {
  const { job, active, ends, nowMs } = scene;
  const isOver = active.length === 0 && ends.isSettled && scene.pods.every((pod) => isTerminal(pod) || !isHeld(pod));
  const stored = job.status?.conditions ?? [];
  const isSuccess = cause.type === 'SuccessCriteriaMet';
  const coming = stored.some(({ type }) => type === cause.type) ? stored : [...stored, renderCondition(cause, nowMs)];
  const final: Cause = { ...cause, type: isSuccess ? 'Complete' : 'Failed' };
  const conditions = isOver ? [...coming, renderCondition(final, nowMs)] : coming;
  const completion = isOver && isSuccess ? { completionTime: toTimestamp(nowMs) } : {};
  return {
    ...{ create: 0, drop: [], remove: active, release: ends.release, lookAgainAtMs: undefined },
    status: {
      ...{ ...job.status, startTime: job.status?.startTime ?? toTimestamp(nowMs) },
      ...countersOf(scene, { active: 0, dropped: active }),
      ...{ ready: 0, conditions, ...completion },
    },
  };
};

const isHeld = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

const renderCondition = (cause: Cause, nowMs: number): JobCondition => {
  const at = toTimestamp(nowMs);
  return { ...cause, status: 'True', lastProbeTime: at, lastTransitionTime: at };
};

/** A Job that was never suspended says nothing about it. */
const suspension = (
  status: JobStatus | undefined,
  wanted: 'True' | 'False',
  nowMs: number,
): readonly JobCondition[] => {
  const conditions = status?.conditions ?? [];
  const earlier = conditions.find(({ type }) => type === 'Suspended');
  if (earlier?.status === wanted || (earlier === undefined && wanted === 'False')) return conditions;
  const told =
    wanted === 'True' ? (['JobSuspended', 'Job suspended'] as const) : (['JobResumed', 'Job resumed'] as const);
  const next = renderCondition({ type: 'Suspended', reason: told[0], message: told[1] }, nowMs);
  return [...conditions.filter(({ type }) => type !== 'Suspended'), { ...next, status: wanted }];
};

/** Why the Job comes to its end: what was told earlier stays. */
const findCause = (scene: Scene): Cause | undefined => {
  const { job, active, ends } = scene;
  const told = job.status?.conditions?.find(({ type }) => type === 'SuccessCriteriaMet' || type === 'FailureTarget');
  if (told !== undefined) return { type: told.type, reason: told.reason, message: told.message };
  const failure = findFailure(scene);
  if (failure !== undefined) return { type: 'FailureTarget', ...failure };
  const completions = completionsOf(job.spec);
  const isEnough = completions === undefined ? ends.succeeded > 0 : ends.succeeded >= completions;
  const isComplete = isEnough && (completions !== undefined || active.length === 0);
  if (!isComplete || (job.spec.suspend === true && active.length > 0)) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message };
};

const findFailure = ({ job, ends, nowMs }: Scene): Omit<Cause, 'type'> | undefined => {
  const unsupported = findUnsupported(job);
  if (unsupported.length > 0) {
    return {
      reason: 'NotSupported',
      message: `the embedded Job controller does not support ${unsupported.join(', ')}`,
    };
  }
  if (ends.failed > (job.spec.backoffLimit ?? BACKOFF_LIMIT)) {
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  }
  const lateAtMs = deadlineMs(job, job.status?.startTime);
  if (lateAtMs === undefined || nowMs < lateAtMs || job.spec.suspend === true) return undefined;
  return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
};

const deadlineMs = ({ spec }: Job, startTime: string | undefined): number | undefined => {
  const startedMs = parseTimestamp(startTime);
  if (spec.activeDeadlineSeconds === undefined || startedMs === undefined) return undefined;
  return startedMs + spec.activeDeadlineSeconds * 1_000;
};

/** Undefined for a Job whose Pods share a queue of work: the first success ends it. */
const completionsOf = ({ completions, parallelism }: Job['spec']): number | undefined =>
  completions ?? (parallelism === undefined ? 1 : undefined);

const wantedActive = ({ job: { spec }, active, ends: { succeeded } }: Scene): number => {
  if (spec.suspend === true) return 0;
  const parallelism = spec.parallelism ?? 1;
  const completions = completionsOf(spec);
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
};
