/**
 * Roles of the controllers that run inside the control plane. Where Kubernetes gives each controller a ServiceAccount,
 * here they share one cache per kind and thus one identity; what it may is the sum of what each of them needs.
 */
import { AUTHENTICATED_GROUP, type User } from '../user.ts';
import { eventsRule, READ, type RoleSpec, rule } from './role.ts';

/** All of them, under the name of Kubernetes' controller manager. */
export const CONTROLLERS_USER = 'system:kube-controller-manager';

export const CONTROLLERS: User = { name: CONTROLLERS_USER, groups: [AUTHENTICATED_GROUP] };

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

const CORE_RULES = [
  eventsRule(),
  ...DELEGATOR_RULES,
  // The garbage collector and the Namespace controller work on whatever kinds there are.
  rule(`${READ} patch update delete deletecollection`, '*', '*'),
  rule('get update patch', '*', '*/scale'),
  rule('create', 'coordination.k8s.io', 'leases'),
  rule('create', 'core', 'pods serviceaccounts configmaps secrets'),
  rule('create', 'core', 'pods/binding pods/eviction serviceaccounts/token'),
  rule('patch update', 'core', 'nodes/status pods/status namespaces/status'),
  rule('update', 'core', 'namespaces/finalize'),
  rule('create', 'apps', 'replicasets'),
  rule('update patch', 'apps', 'deployments/status deployments/finalizers replicasets/status replicasets/finalizers'),
  rule('update patch', 'batch', 'jobs/status jobs/finalizers'),
  rule('update patch', 'policy', 'poddisruptionbudgets/status'),
  rule('update patch', 'certificates.k8s.io', 'certificatesigningrequests/status certificatesigningrequests/approval'),
  rule('approve', 'certificates.k8s.io', 'signers', ['kubernetes.io/kube-apiserver-client-kubelet']),
  rule('sign', 'certificates.k8s.io', 'signers', SIGNERS),
  rule('escalate', 'rbac.authorization.k8s.io', 'clusterroles'),
];

const ANY_WRITE = 'create delete get list patch update watch';

const CAPI_RULES = [
  eventsRule(),
  ...DELEGATOR_RULES,
  rule(ANY_WRITE, 'core', 'secrets configmaps'),
  rule('get list watch patch update delete', 'core', 'nodes'),
  rule('get list watch delete', 'core', 'pods'),
  rule('create', 'core', 'pods/eviction'),
  rule(READ, 'core', 'namespaces'),
  rule(READ, 'apps', 'daemonsets'),
  rule('get list patch update watch', 'apiextensions.k8s.io', 'customresourcedefinitions'),
  rule(ANY_WRITE, 'coordination.k8s.io', 'leases'),
  rule(
    ANY_WRITE,
    'bootstrap.cluster.x-k8s.io controlplane.cluster.x-k8s.io infrastructure.cluster.x-k8s.io cluster.x-k8s.io',
    '*',
  ),
];

export const ROLES_FOR_CONTROLLERS: readonly RoleSpec[] = [
  { name: 'system:kube-controller-manager', rules: CORE_RULES },
  { name: 'capi-manager-role', rules: CAPI_RULES },
  { name: 'system:auth-delegator', rules: DELEGATOR_RULES },
];
