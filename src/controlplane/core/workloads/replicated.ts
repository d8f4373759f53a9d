/** Deployments, ReplicaSets and PodDisruptionBudgets: only the fields that the embedded controllers honour. */

import type { Condition, KubeObject, ObjectMeta } from '../../../kube/types/meta.ts';
import type { PodSpec } from '../../../kube/types/pod.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import type { LabelSelector } from '../label-selector.ts';

export interface PodTemplate {
  readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  readonly spec: PodSpec;
}

/** As `metav1.Condition`, but with optional words and a second time. */
export interface WorkloadCondition extends Pick<Condition, 'type' | 'status'> {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export interface ReplicaSet extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
  readonly status?: {
    readonly replicas?: number;
    readonly fullyLabeledReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly terminatingReplicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** A number, or a share of the wanted replicas such as `25%`. */
export type IntOrPercent = number | string;

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly paused?: boolean;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly unavailableReplicas?: number;
    readonly terminatingReplicas?: number;
    readonly collisionCount?: number;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
    /** By Pod name: evictions that the API granted and the controller has not seen yet. */
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
  };
}

export const REPLICA_SETS: Resource<ReplicaSet> = {
  ...{ group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', scope: 'Namespaced' },
};

export const DEPLOYMENTS: Resource<Deployment> = {
  ...{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', scope: 'Namespaced' },
};

export const POD_DISRUPTION_BUDGETS: Resource<PodDisruptionBudget> = {
  ...{ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' },
  scope: 'Namespaced',
};
