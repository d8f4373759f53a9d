/** Who may do what everywhere: the Go original bound a role to each of its Macs, which a takeover removes first and an audit judges. */
import type { KubeObject } from './meta.ts';
import type { Resource } from './resource.ts';

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  /** Its rules are those of other roles. */
  readonly aggregationRule?: object;
}

export interface ClusterRoleBinding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects?: readonly {
    readonly apiGroup?: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }[];
}

export const CLUSTER_ROLE_BINDINGS: Resource<ClusterRoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
};

export const CLUSTER_ROLES: Resource<ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};
