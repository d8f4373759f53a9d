/** What the job dispatcher may do in a cluster, as the original's server has it, less what ours does not use. */
import { serviceAccountUser, type User } from '../controlplane/auth/user.ts';
import type { DemoObject } from './demo-fleet.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLE = 'tuist-runners-dispatch';
const ACCOUNT = { namespace: 'tuist', name: 'tuist-server' } as const;

export const DISPATCH_SERVER: User = serviceAccountUser(ACCOUNT);

const SUBJECT = { kind: 'ServiceAccount', ...ACCOUNT };
const resource = (kind: string, scope: 'Cluster' | 'Namespaced') => ({
  ...{ group: GROUP, version: 'v1', kind, plural: `${kind.toLowerCase()}s`, scope },
});

/** `namespace` is that of the runners. */
export const renderDispatchRights = (namespace: string): readonly DemoObject[] => [
  {
    resource: resource('ClusterRole', 'Cluster'),
    object: {
      ...{ metadata: { name: ROLE } },
      ...{ rules: [{ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] }] },
    },
  },
  {
    resource: resource('ClusterRoleBinding', 'Cluster'),
    object: {
      ...{ metadata: { name: ROLE }, subjects: [SUBJECT] },
      ...{ roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: ROLE } },
    },
  },
  {
    resource: resource('Role', 'Namespaced'),
    object: {
      metadata: { name: ROLE, namespace },
      ...{
        rules: [
          { apiGroups: ['tuist.dev'], resources: ['runnerpools'], verbs: ['get'] },
          { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
          { apiGroups: [''], resources: ['pods'], verbs: ['get', 'patch'] },
        ],
      },
    },
  },
  {
    resource: resource('RoleBinding', 'Namespaced'),
    object: {
      metadata: { name: ROLE, namespace },
      ...{ subjects: [SUBJECT], roleRef: { apiGroup: GROUP, kind: 'Role', name: ROLE } },
    },
  },
];
