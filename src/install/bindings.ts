/** Who has which role, and where. One table: plain manifests bind all of it, the chart what its values ask for. */
import type { KubeObject } from '../kube/types/meta.ts';
import { JOIN_GROUP, TOKEN_NAMESPACE } from '../provider/identity/join-token.ts';
import { CLUSTER_INFO, PROVIDER_ROLES } from '../provider/roles.ts';
import { RUNNER_ROLES } from '../runners/roles.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Where our processes are, and where what they work on is. */
export interface Places {
  /** Of the controllers, their leases, the fleets and the Secrets of fleets. */
  readonly namespace: string;
  /** Of pools and runners. */
  readonly runnersNamespace: string;
  readonly manager: string;
  readonly runners: string;
}

/** The account that Cluster API core comes as; the role `macfleet-remote-tokens` is for this name alone. */
export const REMOTE_ACCOUNT = 'capi-remote';

/** What a binding is for; a chart leaves out what nobody asked for. */
export type Purpose = 'manager' | 'remote' | 'builders' | 'takeover' | 'spread' | 'runners';

export interface PurposefulBinding {
  readonly purpose: Purpose;
  readonly object: KubeObject;
}

interface Binding {
  readonly name: string;
  readonly role: string;
  /** Everywhere without it. */
  readonly namespace?: string;
  readonly subject: object;
}

const bind = ({ name, role, namespace, subject }: Binding): KubeObject & { readonly roleRef: object } => ({
  apiVersion: `${RBAC}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  ...{ subjects: [subject] },
});

export const renderBindings = ({
  namespace,
  runnersNamespace,
  manager,
  runners,
}: Places): readonly PurposefulBinding[] => {
  const roles = { ...PROVIDER_ROLES, ...{ runners: RUNNER_ROLES.runners, nodes: RUNNER_ROLES.nodes } };
  const provider = { kind: 'ServiceAccount', name: manager, namespace };
  const controller = { kind: 'ServiceAccount', name: runners, namespace };
  const group = (name: string) => ({ apiGroup: RBAC, kind: 'Group', name });
  const grant = (purpose: Purpose, role: keyof typeof roles, subject: object, where?: string): PurposefulBinding => {
    const { name } = roles[role].metadata;
    return {
      purpose,
      object: bind({ name, role: name, subject, ...(where === undefined ? {} : { namespace: where }) }),
    };
  };
  const lease = { name: 'macfleet-runners-leader-election', role: roles.leaderElection.metadata.name };
  return [
    grant('manager', 'manager', provider),
    grant('manager', 'leaderElection', provider, namespace),
    grant('manager', 'joinTokens', provider, TOKEN_NAMESPACE),
    grant('manager', 'clusterInfo', provider, CLUSTER_INFO.namespace),
    grant('manager', 'fleetKeys', provider, namespace),
    {
      purpose: 'manager',
      object: bind({ name: 'macfleet-join', role: 'system:node-bootstrapper', subject: group(JOIN_GROUP) }),
    },
    grant('remote', 'kubeconfigs', provider, namespace),
    grant('remote', 'remoteTokens', provider, namespace),
    grant('remote', 'clusterApiRemote', { kind: 'ServiceAccount', name: REMOTE_ACCOUNT, namespace }),
    grant('builders', 'githubApps', provider, namespace),
    grant('takeover', 'takeover', provider),
    grant('takeover', 'takeoverSecrets', provider, namespace),
    grant('spread', 'fleetSpread', provider, namespace),
    grant('runners', 'runners', controller, runnersNamespace),
    grant('runners', 'nodes', controller),
    { purpose: 'runners', object: bind({ ...lease, namespace, subject: controller }) },
    grant('runners', 'dispatchTokens', group('system:nodes')),
  ];
};
