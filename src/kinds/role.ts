/** Roles as data: what a process of ours may do, from which `npm run generate` writes deploy/rbac. */

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export const READ = ['get', 'list', 'watch'];
/** All that a cache needs. */
export const FOLLOW = ['list', 'watch'];

export const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});

/** A cluster role, so that whoever installs it chooses the subjects and the namespace. */
export const role = (name: string, labels: Readonly<Record<string, string>>, rules: readonly Rule[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules,
});
