/**
 * Who the parts of a fleet in one process are to the API: each its own user, with the rights of its work only; and the
 * policies that hold for all of them.
 */
import { AUTHENTICATED_GROUP, serviceAccountUser, type User } from '../controlplane/auth/user.ts';
import { ALL_POLICIES } from '../kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../kinds/policies/policy.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { PROVIDER_ROLES } from '../provider/roles.ts';

const MANAGER_ACCOUNT = { namespace: 'macfleet-system', name: 'macfleet-manager' } as const;

/** The provider, wherever its process runs. */
export const PROVIDER: User = serviceAccountUser(MANAGER_ACCOUNT);

/** Cluster API core on the cluster that the Macs join: whom `<cluster>-kubeconfig` speaks as. */
export const CAPI_REMOTE: User = { name: 'macfleet-capi-remote', groups: [AUTHENTICATED_GROUP] };

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

const grant = (role: KubeObject, subject: object): readonly Placed[] => {
  const { name } = role.metadata;
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
  const binding = { metadata: { name }, roleRef, subjects: [subject] };
  return [
    { resource: clusterWide(GROUP, 'ClusterRole'), object: role },
    { resource: clusterWide(GROUP, 'ClusterRoleBinding'), object: binding },
  ];
};

const MANAGER = { kind: 'ServiceAccount', ...MANAGER_ACCOUNT };

/** The roles of the provider, and who has them; those of the controllers are there from the start. */
export const PROVIDER_RIGHTS: readonly Placed[] = [
  ...grant(PROVIDER_ROLES.manager, MANAGER),
  ...grant(PROVIDER_ROLES.leaderElection, MANAGER),
  ...grant(PROVIDER_ROLES.clusterApiRemote, { apiGroup: GROUP, kind: 'User', name: CAPI_REMOTE.name }),
];

/** Our admission policies, each with its binding. */
export const POLICIES: readonly Placed[] = ALL_POLICIES.flatMap(toAdmissionObjects).map((object) => ({
  resource: clusterWide('admissionregistration.k8s.io', object.kind),
  object,
}));
