/**
 * Counting the ends of a Job's Pods exactly once, although Pods are deleted at any time: a Pod that ended is kept by a
 * finalizer; its UID is stored in the status first, then the finalizer goes, then the UID turns into a count. Pure.
 */
import type { Pod } from '../../../kube/types/pod.ts';
import { isTerminal } from '../scheduling/schedulable.ts';
import { JOB_TRACKING, type JobStatus } from './job.ts';

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(JOB_TRACKING) === true;

export interface EndCounts {
  /** Ends that are part of the counters, and ends that are only listed yet. */
  readonly succeeded: number;
  readonly failed: number;
  readonly status: Pick<JobStatus, 'succeeded' | 'failed' | 'uncountedTerminatedPods'>;
  readonly isSettled: boolean;
  /** Pods whose finalizer may go once this status is stored. */
  readonly release: readonly Pod[];
}

export const countPods = (status: JobStatus, pods: readonly Pod[]): EndCounts => {
  const tracked = pods.filter(isTracked);
  const held = new Set(tracked.map(uidOf));
  const count = (kind: 'succeeded' | 'failed') => {
    const listed = status.uncountedTerminatedPods?.[kind] ?? [];
    const ended = tracked.filter((pod) => endOf(pod) === kind).map(uidOf);
    const open = [...new Set([...listed.filter((uid) => held.has(uid)), ...ended])];
    const counted = (status[kind] ?? 0) + listed.filter((uid) => !held.has(uid)).length;
    return { open, counted, total: counted + open.length };
  };
  const succeeded = count('succeeded');
  const failed = count('failed');
  return {
    succeeded: succeeded.total,
    failed: failed.total,
    status: {
      succeeded: succeeded.counted,
      failed: failed.counted,
      uncountedTerminatedPods: { succeeded: succeeded.open, failed: failed.open },
    },
    isSettled: succeeded.open.length + failed.open.length === 0,
    release: tracked.filter((pod) => isTerminal(pod) || pod.metadata.deletionTimestamp !== undefined),
  };
};

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

/** A Pod that is on its way out counts as a failure, as in Kubernetes: it may never get to say how it ended. */
const endOf = ({ metadata, status }: Pod): 'succeeded' | 'failed' | undefined => {
  if (status?.phase === 'Succeeded') return 'succeeded';
  return status?.phase === 'Failed' || metadata.deletionTimestamp !== undefined ? 'failed' : undefined;
};
