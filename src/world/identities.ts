/**
 * Who the parts of a fleet in one process are to the API: each its own user, with the rights of its work only; and the
 * policies that hold for all of them.
 */
import { serviceAccountUser, type User } from '../controlplane/auth/user.ts';
import { ALL_POLICIES } from '../kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../kinds/policies/policy.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { PROVIDER_ROLES } from '../provider/roles.ts';

const MANAGER_ACCOUNT = { namespace: 'macfleet-system', name: 'macfleet-manager' } as const;

/** The provider, wherever its process runs. */
export const PROVIDER: User = serviceAccountUser(MANAGER_ACCOUNT);

const GROUP = 'rbac.authorization.k8s.io';

interface Placed {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

const clusterWide = (group: string, kind: string): Resource<KubeObject> => {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  return { group, version: 'v1', kind, plural, scope: 'Cluster' };
};

/** The roles of the provider and who has them; those of the controllers are there from the start. */
export const PROVIDER_RIGHTS: readonly Placed[] = [PROVIDER_ROLES.manager, PROVIDER_ROLES.leaderElection].flatMap(
  (role) => {
    const { name } = role.metadata;
    const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
    const binding = { metadata: { name }, roleRef, subjects: [{ kind: 'ServiceAccount', ...MANAGER_ACCOUNT }] };
    return [
      { resource: clusterWide(GROUP, 'ClusterRole'), object: role },
      { resource: clusterWide(GROUP, 'ClusterRoleBinding'), object: binding },
    ];
  },
);

/** Our admission policies, each with its binding. */
export const POLICIES: readonly Placed[] = ALL_POLICIES.flatMap(toAdmissionObjects).map((object) => ({
  resource: clusterWide('admissionregistration.k8s.io', object.kind),
  object,
}));
