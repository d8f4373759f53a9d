/**
 * Who the parts of a fleet in one process are to the API: each its own user, with the rights of its work only; and the
 * policies that hold for all of them.
 */
import { NODES_GROUP, serviceAccountUser, type User } from '../controlplane/auth/user.ts';
import { ALL_POLICIES } from '../kinds/policies/all-policies.ts';
import { toAdmissionObjects } from '../kinds/policies/policy.ts';
import { SERVICE_ACCOUNTS } from '../kube/types/core.ts';
import type { KubeObject } from '../kube/types/meta.ts';
import type { Resource } from '../kube/types/resource.ts';
import { JOIN_GROUP, TOKEN_NAMESPACE } from '../provider/identity/join-token.ts';
import { PROVIDER_ROLES } from '../provider/roles.ts';
import { RUNNER_ROLES } from '../runners/roles.ts';

const MANAGER_ACCOUNT = { namespace: 'macfleet-system', name: 'macfleet-manager' } as const;

/** The provider, wherever its process runs. */
export const PROVIDER: User = serviceAccountUser(MANAGER_ACCOUNT);

/** The runners controller, wherever its process runs. */
export const RUNNERS_ACCOUNT = { namespace: 'tuist-runners', name: 'runners-controller' } as const;
export const RUNNERS_USER: User = serviceAccountUser(RUNNERS_ACCOUNT);

/** Where the Secrets of fleets are, and whom core comes as: what the manager's flags say by default. */
export const SECRETS_NAMESPACE = 'default';
export const REMOTE_ACCOUNT = { namespace: SECRETS_NAMESPACE, name: 'capi-remote' } as const;

const GROUP = 'rbac.authorization.k8s.io';

interface Placed {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

const resourceOf = (group: string, kind: string, scope: Resource<KubeObject>['scope'] = 'Cluster') => {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  return { group, version: 'v1', kind, plural, scope } as const;
};

export const CLUSTER_ROLES = resourceOf(GROUP, 'ClusterRole');

type RoleName = Exclude<keyof typeof PROVIDER_ROLES, 'fleetSpread' | 'clusterInfo'>;

const MANAGER = { kind: 'ServiceAccount', ...MANAGER_ACCOUNT };
const CORE = { kind: 'ServiceAccount', ...REMOTE_ACCOUNT };

interface Binding {
  readonly role: string;
  readonly metadata: KubeObject['metadata'];
  readonly subject: object;
}

/** A role in one namespace, or everywhere. */
export const bind = ({ role, metadata, subject }: Binding): Placed => {
  const object = { metadata, roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role }, subjects: [subject] };
  const isEverywhere = metadata.namespace === undefined;
  return {
    resource: isEverywhere ? resourceOf(GROUP, 'ClusterRoleBinding') : resourceOf(GROUP, 'RoleBinding', 'Namespaced'),
    object,
  };
};

const grant = (role: RoleName, subject: object = MANAGER): Placed => {
  const { name } = PROVIDER_ROLES[role].metadata;
  return bind({ role: name, metadata: { name }, subject });
};

const grantIn = (namespace: string, role: RoleName): Placed => {
  const { name } = PROVIDER_ROLES[role].metadata;
  return bind({ role: name, metadata: { name, namespace }, subject: MANAGER });
};

const NODES = { apiGroup: GROUP, kind: 'Group', name: NODES_GROUP };
const JOINING = { apiGroup: GROUP, kind: 'Group', name: JOIN_GROUP };

/**
 * The roles of the provider and who has them, the account of core, and the right of a Mac with a token to ask for a
 * certificate. Those of the controllers are there from the start. `fleets` is the namespace of Clusters and Machines.
 */
export const renderRights = (fleets: string): readonly Placed[] => [
  ...Object.values(PROVIDER_ROLES).map((object) => ({ resource: CLUSTER_ROLES, object })),
  { resource: SERVICE_ACCOUNTS, object: { metadata: REMOTE_ACCOUNT } },
  grant('manager'),
  grant('leaderElection'),
  grant('dispatchTokens', NODES),
  grant('clusterApiRemote', CORE),
  grantIn(TOKEN_NAMESPACE, 'joinTokens'),
  grantIn(fleets, 'kubeconfigs'),
  grantIn(fleets, 'githubApps'),
  grantIn(REMOTE_ACCOUNT.namespace, 'remoteTokens'),
  grantIn(SECRETS_NAMESPACE, 'fleetKeys'),
  bind({ role: 'system:node-bootstrapper', metadata: { name: 'macfleet-join' }, subject: JOINING }),
];

/** The roles of the runners controller and that it has them; its lease is among its runners. */
export const renderRunnerRights = (namespace: string): readonly Placed[] => {
  const subject = { kind: 'ServiceAccount', ...RUNNERS_ACCOUNT };
  const within = (role: string) => bind({ role, metadata: { name: `${role}-runners`, namespace }, subject });
  const { runners, nodes } = RUNNER_ROLES;
  return [
    ...[runners, nodes].map((object) => ({ resource: CLUSTER_ROLES, object })),
    within(runners.metadata.name),
    within(PROVIDER_ROLES.leaderElection.metadata.name),
    bind({ role: nodes.metadata.name, metadata: { name: nodes.metadata.name }, subject }),
  ];
};

/** Our admission policies, each with its binding. */
export const POLICIES: readonly Placed[] = ALL_POLICIES.flatMap(toAdmissionObjects).map((object) => ({
  resource: resourceOf('admissionregistration.k8s.io', object.kind),
  object,
}));
