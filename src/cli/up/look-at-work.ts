/** Lines about Pods and about what makes them. Pure. */
import { parseTimestamp } from '../../base/clock.ts';
import type { Job } from '../../controlplane/core/workloads/job.ts';
import type { Deployment } from '../../controlplane/core/workloads/replicated.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { SimJob } from '../../sim/dispatch/sim-job.ts';
import type { JobRow, PodRow, WorkRow } from './fleet-picture.ts';

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export const isTrue = ({ status }: Conditioned, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

export const isReady = (object: Conditioned): boolean => isTrue(object, 'Ready');

export const lookAtPod = (pod: Pod): PodRow => {
  const { metadata, spec, status } = pod;
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return {
    pod: metadata.name,
    state: isLeaving ? 'Terminating' : (status?.phase ?? 'Pending'),
    node: spec.nodeName ?? '-',
    sinceMs: parseTimestamp(status?.startTime ?? metadata.creationTimestamp),
    waitsFor: describeWait(pod),
  };
};

const describeWait = ({ spec, status }: Pod): string => {
  if (status?.phase !== undefined && status.phase !== 'Pending') return '';
  const placed = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (spec.nodeName === undefined) return placed?.message ?? 'a Node';
  const { waiting } = status?.containerStatuses?.[0]?.state ?? {};
  return waiting?.message ?? waiting?.reason ?? 'its virtual machine';
};

export const lookAtDeployment = ({ metadata, spec, status }: Deployment): WorkRow => ({
  work: `deployment/${metadata.name}`,
  ready: `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1} ready`,
});

export const lookAtJob = ({ metadata, spec, status }: Job): WorkRow => ({
  work: `job/${metadata.name}`,
  ready: `${status?.succeeded ?? 0}/${spec.completions ?? 1} done`,
});

export interface FailedJob {
  readonly job: string;
  readonly why: string;
}

export const findFailure = ({ metadata, status }: Job): readonly FailedJob[] =>
  (status?.conditions ?? [])
    .filter((condition) => condition.type === 'Failed' && condition.status === 'True')
    .map(({ message = '' }) => ({ job: metadata.name, why: message }));

export const lookAtPool = ({ metadata, spec, status }: RunnerPool): WorkRow => ({
  work: `runnerpool/${metadata.name}`,
  ready: `${status?.observedReplicas ?? 0}/${spec.replicas ?? 0} alive`,
});

export const lookAtCiJob = (job: SimJob, nowMs: number): JobRow => {
  const { id, state, conclusion, runner, queuedAtMs, startedAtMs, endedAtMs } = job;
  return {
    job: String(id),
    state: conclusion === undefined || conclusion === 'success' ? state : `${state}, ${conclusion}`,
    runner: runner?.pod ?? '-',
    waitedMs: (startedAtMs ?? nowMs) - queuedAtMs,
    ranMs: startedAtMs === undefined ? undefined : (endedAtMs ?? nowMs) - startedAtMs,
  };
};
