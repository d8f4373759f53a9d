/** Jobs of the batch group: only the fields that the embedded controller honours or refuses by name. */
import type { Condition, KubeObject, ObjectMeta } from '../../../kube/types/meta.ts';
import type { PodSpec } from '../../../kube/types/pod.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import type { LabelSelector } from '../label-selector.ts';

export interface JobCondition extends Condition {
  /** The first two tell what is coming while Pods are still on their way out. */
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget' | 'Complete' | 'Failed' | 'Suspended';
  readonly lastProbeTime?: string;
}

export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly JobCondition[];
  /** UIDs of Pods that ended and are held by our finalizer until they are part of the counters. */
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
}

export interface Job extends KubeObject {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly suspend?: boolean;
    /** The API server adds it: by the Job's UID, unless the Job brings its own. */
    readonly selector?: LabelSelector;
    readonly completionMode?: string;
    readonly podFailurePolicy?: object;
    readonly successPolicy?: object;
    readonly backoffLimitPerIndex?: number;
    readonly maxFailedIndexes?: number;
    readonly podReplacementPolicy?: string;
    /** Whose Job it is, when it is not ours. */
    readonly managedBy?: string;
    readonly template: {
      readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
      readonly spec: PodSpec;
    };
  };
  readonly status?: JobStatus;
}

export const JOBS: Resource<Job> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  scope: 'Namespaced',
};

/** Keeps a Pod of a Job until its end is counted. */
export const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';

const OUR_NAME = 'kubernetes.io/job-controller';

export const isOurs = ({ spec }: Job): boolean => (spec.managedBy ?? OUR_NAME) === OUR_NAME;

/** Whether the Job is over, one way or the other. */
export const hasEnded = ({ status }: Job): boolean => findEnd(status) !== undefined;

export const findEnd = (status: JobStatus | undefined): JobCondition | undefined =>
  status?.conditions?.find(
    (condition) => condition.status === 'True' && (condition.type === 'Complete' || condition.type === 'Failed'),
  );

/** Fields of the spec that are not honoured here: such a Job fails at once, and says why. */
export const findUnsupported = ({ spec }: Job): readonly string[] => {
  const checks: readonly (readonly [string, boolean])[] = [
    ['completionMode: Indexed', spec.completionMode === 'Indexed'],
    ['podFailurePolicy', spec.podFailurePolicy !== undefined],
    ['successPolicy', spec.successPolicy !== undefined],
    ['backoffLimitPerIndex', spec.backoffLimitPerIndex !== undefined],
    ['podReplacementPolicy: Failed', spec.podReplacementPolicy === 'Failed'],
  ];
  return checks.flatMap(([name, isAsked]) => (isAsked ? [`spec.${name}`] : []));
};
