/** Foreign kinds that only these tests need. */
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';

export interface DisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly expectedPods?: number;
    readonly disruptionsAllowed?: number;
  };
}

export const DISRUPTION_BUDGETS: Resource<DisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  scope: 'Namespaced',
};

/** No server serves this. */
export const UNICORNS: Resource<KubeObject> = {
  group: 'nowhere.example.com',
  version: 'v1',
  kind: 'Unicorn',
  plural: 'unicorns',
  scope: 'Namespaced',
};
