/** Jobs of the batch group: only the fields that the embedded controller honours. */
import type { Condition, KubeObject, ObjectMeta } from '../../kube/types/meta.ts';
import type { PodSpec } from '../../kube/types/pod.ts';
import type { Resource } from '../../kube/types/resource.ts';

export interface JobCondition extends Condition {
  readonly type: 'Complete' | 'Failed';
  readonly lastProbeTime?: string;
}

export interface JobStatus {
  readonly active?: number;
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
    readonly suspend?: boolean;
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
