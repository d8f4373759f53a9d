/** ClusterRoles that are the sum of others: their rules follow from the labels of those. */
import { isEqualJson } from '../../../base/json.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../../../kube/controller/controller.ts';
import { type KubeObject, keyOf } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import { type LabelSelector, matchesLabels } from '../label-selector.ts';

export interface ClusterRole extends KubeObject {
  readonly rules?: readonly object[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export const CLUSTER_ROLES: Resource<ClusterRole> = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', plural: 'clusterroles' },
  scope: 'Cluster',
};

/** The rules of all roles that are selected, by name; each rule once. Pure. */
export const sumRules = (role: ClusterRole, roles: readonly ClusterRole[]): readonly object[] => {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const isPart = ({ metadata }: ClusterRole): boolean =>
    metadata.name !== role.metadata.name && selectors.some((selector) => matchesLabels(selector, metadata.labels));
  const parts = roles.filter(isPart).sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  const rules: object[] = [];
  for (const rule of parts.flatMap((part) => part.rules ?? [])) {
    if (!rules.some((earlier) => isEqualJson(earlier, rule))) rules.push(rule);
  }
  return rules;
};

export const createRoleAggregation = ({ roles }: { readonly roles: Cache<ClusterRole> }): Controller => {
  const sums = (): readonly string[] =>
    roles.list().flatMap(({ metadata, aggregationRule }) => (aggregationRule === undefined ? [] : [metadata.name]));
  return createController({
    name: 'clusterrole-aggregation',
    watches: [watchPrimary(roles), watchMapped(roles, sums)],
    reconcile: async ({ key, kube, signal }) => {
      const role = roles.get(key);
      if (role?.aggregationRule === undefined || role.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
      const rules = sumRules(role, roles.list());
      if (isEqualJson(role.rules ?? [], rules)) return { next: 'rest' };
      const { uid, resourceVersion } = role.metadata;
      const body = { metadata: { uid, resourceVersion }, rules };
      await kube.patch(CLUSTER_ROLES, keyOf(role), { type: 'merge', body }, { signal });
      return { next: 'rest' };
    },
  });
};
