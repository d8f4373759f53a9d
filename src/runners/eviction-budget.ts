/**
 * No runner is evicted: `kubectl drain` and whoever else asks for evictions is told to come again. Idle runners on a Node that is
 * drained are retired by their controller, and the others end with their job. Without this budget a drain kills jobs: an eviction
 * is a delete that knows nothing of them.
 */
import { LABELS } from '../kinds/labels.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';

export const DISRUPTION_BUDGETS: Resource<KubeObject> = {
  ...{ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
  ...{ plural: 'poddisruptionbudgets', scope: 'Namespaced' },
};

/** More than there can be: a number, because percentages need a controller that the API server knows how to scale. */
const ALWAYS_TOO_FEW = 1_000_000;

export const renderEvictionBudget = (namespace: string): KubeObject & { readonly spec: object } => ({
  apiVersion: 'policy/v1',
  kind: DISRUPTION_BUDGETS.kind,
  metadata: { name: 'macfleet-runners', namespace },
  spec: { minAvailable: ALWAYS_TOO_FEW, selector: { matchLabels: { [LABELS.runner]: 'true' } } },
});
