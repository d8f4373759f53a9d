/** Deployments, as fleet spread sees them: it rolls one when the set of ready Macs changes. */
import type { KubeObject, ObjectMeta } from './meta.ts';
import type { PodSpec } from './pod.ts';
import type { Resource } from './resource.ts';

export interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
      readonly spec: PodSpec;
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly unavailableReplicas?: number;
  };
}

export const DEPLOYMENTS: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
};
