/**
 * Who the controllers inside the control plane are, and what each may: a ServiceAccount of kube-system per controller
 * with the role that Kubernetes gives it, so that an audit tells who wrote. What is watched is watched once for all of
 * them, under the name of the controller manager, which may read everything and write next to nothing.
 */
import { AUTHENTICATED_GROUP, serviceAccountUser, type User } from '../user.ts';
import { type BindingSpec, eventsRule, READ, type RoleSpec, rule } from './role.ts';

const CONTROLLER_MANAGER_USER = 'system:kube-controller-manager';
const SCHEDULER_USER = 'system:kube-scheduler';

/** Whoever watches for all. */
export const CONTROLLER_MANAGER: User = { name: CONTROLLER_MANAGER_USER, groups: [AUTHENTICATED_GROUP] };

const SIGNERS = [
  'kubernetes.io/legacy-unknown',
  'kubernetes.io/kube-apiserver-client',
  'kubernetes.io/kube-apiserver-client-kubelet',
  'kubernetes.io/kubelet-serving',
];

const DELEGATOR_RULES = [
  rule('create', 'authentication.k8s.io', 'tokenreviews'),
  rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
];

const CSRS = 'certificatesigningrequests';

/** Where Kubernetes' own controllers update, ours patch what differs. */
const SAVE = 'update patch';

/** By account in kube-system; Kubernetes has no others for what is done here. */
const RULES_BY_ACCOUNT = {
  'certificate-controller': [
    rule(`${READ} delete`, 'certificates.k8s.io', CSRS),
    rule(SAVE, 'certificates.k8s.io', `${CSRS}/status ${CSRS}/approval`),
    rule('approve', 'certificates.k8s.io', 'signers', ['kubernetes.io/kube-apiserver-client-kubelet']),
    rule('sign', 'certificates.k8s.io', 'signers', SIGNERS),
    rule('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    eventsRule(),
  ],
  'clusterrole-aggregation-controller': [rule(`escalate ${READ} ${SAVE}`, 'rbac.authorization.k8s.io', 'clusterroles')],
  'deployment-controller': [
    rule(`${READ} ${SAVE}`, 'apps', 'deployments'),
    rule(SAVE, 'apps', 'deployments/status deployments/finalizers'),
    rule(`${READ} create ${SAVE} delete`, 'apps', 'replicasets'),
    rule(`${READ} ${SAVE}`, 'core', 'pods'),
    eventsRule(),
  ],
  'disruption-controller': [
    rule(READ, 'apps', 'deployments replicasets statefulsets'),
    rule(READ, 'core', 'replicationcontrollers'),
    rule(READ, 'policy', 'poddisruptionbudgets'),
    rule(SAVE, 'policy', 'poddisruptionbudgets/status'),
    rule(SAVE, 'core', 'pods/status'),
    rule('get', '*', '*/scale'),
    eventsRule(),
  ],
  'generic-garbage-collector': [rule(`${READ} ${SAVE} delete`, '*', '*'), eventsRule()],
  'job-controller': [
    rule(`${READ} ${SAVE}`, 'batch', 'jobs'),
    rule(SAVE, 'batch', 'jobs/status jobs/finalizers'),
    rule('list watch create delete patch', 'core', 'pods'),
    eventsRule(),
  ],
  'namespace-controller': [
    rule(`${READ} delete`, 'core', 'namespaces'),
    rule(SAVE, 'core', 'namespaces/finalize namespaces/status'),
    rule(`${READ} delete deletecollection`, '*', '*'),
  ],
  'node-controller': [
    rule(`${READ} ${SAVE} delete`, 'core', 'nodes'),
    rule(SAVE, 'core', 'nodes/status pods/status'),
    rule(`${READ} delete`, 'core', 'pods'),
    // Here it asks before it gives a Node up; Kubernetes' own believes its watch.
    rule('get', 'coordination.k8s.io', 'leases'),
    eventsRule(),
  ],
  'pod-garbage-collector': [
    rule('list watch delete', 'core', 'pods'),
    rule(READ, 'core', 'nodes'),
    rule('patch', 'core', 'pods/status'),
  ],
  'replicaset-controller': [
    rule(`${READ} ${SAVE}`, 'apps', 'replicasets'),
    rule(SAVE, 'apps', 'replicasets/status replicasets/finalizers'),
    rule('list watch patch create delete', 'core', 'pods'),
    eventsRule(),
  ],
  'root-ca-cert-publisher': [rule(`create ${SAVE}`, 'core', 'configmaps'), eventsRule()],
  'service-account-controller': [rule('create', 'core', 'serviceaccounts'), eventsRule()],
  'ttl-after-finished-controller': [rule(`${READ} delete`, 'batch', 'jobs'), eventsRule()],
} as const;

/** Removes secrets, so its role is one of a single namespace. */
const TOKEN_CLEANER = 'token-cleaner';

const SCHEDULER_RULES = [
  eventsRule(),
  ...DELEGATOR_RULES,
  rule(READ, 'core', 'nodes namespaces services replicationcontrollers persistentvolumeclaims persistentvolumes'),
  rule(`${READ} delete`, 'core', 'pods'),
  rule('create', 'core', 'pods/binding bindings'),
  rule(SAVE, 'core', 'pods/status'),
  rule(READ, 'apps', 'replicasets statefulsets'),
  rule(READ, 'policy', 'poddisruptionbudgets'),
];

const CONTROLLER_MANAGER_RULES = [
  eventsRule(),
  ...DELEGATOR_RULES,
  rule('create', 'coordination.k8s.io', 'leases'),
  rule('get update', 'coordination.k8s.io', 'leases', ['kube-controller-manager']),
  rule('create update', 'core', 'secrets serviceaccounts'),
  rule('delete', 'core', 'secrets'),
  rule('get', 'core', 'namespaces secrets serviceaccounts configmaps'),
  rule('list watch', '*', '*'),
  rule('create', 'core', 'serviceaccounts/token'),
];

const ANY_WRITE = 'create delete get list patch update watch';

/** What it does to Nodes and Pods it does with the kubeconfig of their cluster, and needs no right here for. */
const CAPI_RULES = [
  eventsRule(),
  ...DELEGATOR_RULES,
  rule(ANY_WRITE, 'core', 'secrets configmaps'),
  rule(READ, 'core', 'namespaces'),
  rule('get list patch update watch', 'apiextensions.k8s.io', 'customresourcedefinitions'),
  rule(ANY_WRITE, 'coordination.k8s.io', 'leases'),
  rule(
    ANY_WRITE,
    'bootstrap.cluster.x-k8s.io controlplane.cluster.x-k8s.io infrastructure.cluster.x-k8s.io cluster.x-k8s.io',
    '*',
  ),
];

export type ControllerAccount = keyof typeof RULES_BY_ACCOUNT | typeof TOKEN_CLEANER | 'scheduler' | 'cluster-api';

const CAPI_ACCOUNT = { namespace: 'capi-system', name: 'capi-manager' } as const;

/** As whom a controller asks. */
export const controllerUser = (account: ControllerAccount): User => {
  if (account === 'scheduler') return { name: SCHEDULER_USER, groups: [AUTHENTICATED_GROUP] };
  if (account === 'cluster-api') return serviceAccountUser(CAPI_ACCOUNT);
  return serviceAccountUser({ namespace: 'kube-system', name: account });
};

const roleOf = (account: string): string => `system:controller:${account}`;

export const ROLES_FOR_CONTROLLERS: readonly RoleSpec[] = [
  ...Object.entries(RULES_BY_ACCOUNT).map(([account, rules]) => ({ name: roleOf(account), rules })),
  {
    ...{ name: roleOf(TOKEN_CLEANER), namespace: 'kube-system' },
    rules: [rule(`${READ} delete`, 'core', 'secrets'), eventsRule()],
  },
  { name: SCHEDULER_USER, rules: SCHEDULER_RULES },
  { name: CONTROLLER_MANAGER_USER, rules: CONTROLLER_MANAGER_RULES },
  { name: 'capi-manager-role', rules: CAPI_RULES },
  { name: 'system:auth-delegator', rules: DELEGATOR_RULES },
];

const inKubeSystem = (name: string) => ({ namespace: 'kube-system', name });

export const BINDINGS_FOR_CONTROLLERS: readonly BindingSpec[] = [
  ...Object.keys(RULES_BY_ACCOUNT).map((account) => ({ name: roleOf(account), accounts: [inKubeSystem(account)] })),
  { ...inKubeSystem(roleOf(TOKEN_CLEANER)), accounts: [inKubeSystem(TOKEN_CLEANER)] },
  { name: SCHEDULER_USER, users: [SCHEDULER_USER] },
  { name: CONTROLLER_MANAGER_USER, users: [CONTROLLER_MANAGER_USER] },
  { name: 'capi-manager-rolebinding', role: 'capi-manager-role', accounts: [CAPI_ACCOUNT] },
];
