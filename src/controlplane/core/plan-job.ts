/** What a Job needs next: Pods to make, Pods to end, and the status that says how far it is. Pure. */
import { toTimestamp } from '../../base/clock.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { countPods } from './count-pods.ts';
import type { Job, JobCondition, JobStatus } from './job.ts';
import { isTerminal } from './schedulable.ts';

export interface JobPlan {
  readonly create: number;
  readonly remove: readonly Pod[];
  /** Pods whose finalizer goes after the status is stored. */
  readonly release: readonly Pod[];
  readonly status: JobStatus;
}

const BACKOFF_LIMIT = 6;

interface Counts {
  readonly active: readonly Pod[];
  readonly succeeded: number;
  readonly failed: number;
}

/** Of a Job that ended, the Pods that still run are removed and nothing else happens. */
export const planJob = (job: Job, pods: readonly Pod[], nowMs: number): JobPlan => {
  const earlier = job.status ?? {};
  const ends = countPods(earlier, pods);
  const { release } = ends;
  const active = pods.filter((pod) => !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined);
  if (hasEnded(job)) return { create: 0, remove: active, release, status: { ...earlier, active: 0 } };
  const startTime = earlier.startTime ?? toTimestamp(nowMs);
  const progress = { ...earlier, startTime, ...ends.status };
  const counts = { active, succeeded: ends.succeeded, failed: ends.failed };
  const end = findEnd(job, counts);
  if (end !== undefined) {
    const status = ends.isSettled ? { ...progress, ...renderEnd(end, nowMs) } : progress;
    return { create: 0, remove: active, release, status: { ...status, active: 0 } };
  }
  const wanted = wantedActive(job, counts);
  const remove = active.slice(wanted);
  const create = Math.max(0, wanted - active.length);
  return { create, remove, release, status: { ...progress, active: active.length - remove.length + create } };
};

const renderEnd = (
  end: Pick<JobCondition, 'type' | 'reason' | 'message'>,
  nowMs: number,
): Pick<JobStatus, 'conditions' | 'completionTime'> => {
  const at = toTimestamp(nowMs);
  const conditions = [{ ...end, status: 'True' as const, lastProbeTime: at, lastTransitionTime: at }];
  return end.type === 'Complete' ? { conditions, completionTime: at } : { conditions };
};

export const hasEnded = ({ status }: Job): boolean =>
  status?.conditions?.some((condition) => condition.status === 'True') === true;

const findEnd = (
  { spec }: Job,
  { active, succeeded, failed }: Counts,
): Pick<JobCondition, 'type' | 'reason' | 'message'> | undefined => {
  if (failed > (spec.backoffLimit ?? BACKOFF_LIMIT)) {
    const message = 'Job has reached the specified backoff limit';
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message };
  }
  const isComplete =
    completionsOf(spec) === undefined ? succeeded > 0 && active.length === 0 : succeeded >= (completionsOf(spec) ?? 0);
  if (!isComplete) return undefined;
  return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
};

/** Undefined for a Job whose Pods share a queue of work: the first success ends it. */
const completionsOf = ({ completions, parallelism }: Job['spec']): number | undefined =>
  completions ?? (parallelism === undefined ? 1 : undefined);

const wantedActive = ({ spec }: Job, { active, succeeded }: Counts): number => {
  if (spec.suspend === true) return 0;
  const parallelism = spec.parallelism ?? 1;
  const completions = completionsOf(spec);
  if (completions === undefined) return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
};
