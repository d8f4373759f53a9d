/** ClusterRoleBindings: the Go original made one per Mac, which a takeover removes first. */
import type { KubeObject } from './meta.ts';
import type { Resource } from './resource.ts';

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
