/**
 * For tests: who may do what in the cluster of access-world.ts. Every verdict and reason was given by a real
 * kube-apiserver 1.36 (authorization modes Node and RBAC) that was asked the same by SubjectAccessReview.
 */

export interface AccessCase {
  readonly who: keyof typeof WHO;
  /** `verb resource[/subresource][.group] [namespace/]name`, or `verb /path`. */
  readonly asks: string;
  readonly may: boolean;
  /** The reason of a refusal, whole. */
  readonly why?: string;
  readonly fieldSelector?: string;
}

const account = (name: string): readonly string[] => [
  `system:serviceaccount:a:${name}`,
  'system:serviceaccounts',
  'system:serviceaccounts:a',
  'system:authenticated',
];

/** User name, then groups. */
export const WHO = {
  root: ['root', 'system:masters'],
  petra: ['petra', 'system:authenticated'],
  dev: ['dev', 'devs', 'system:authenticated'],
  builder: account('builder'),
  idle: account('idle'),
  spot: ['spot', 'system:authenticated'],
  actor: ['actor', 'system:authenticated'],
  edna: ['edna', 'system:authenticated'],
  vera: ['vera', 'system:authenticated'],
  ada: ['ada', 'system:authenticated'],
  dan: ['dan', 'system:authenticated'],
  clerk: ['clerk', 'system:authenticated'],
  nobody: ['system:anonymous', 'system:unauthenticated'],
  n1: ['system:node:n1', 'system:nodes', 'system:authenticated'],
  n3: ['system:node:n3', 'system:nodes', 'system:authenticated'],
  pretender: ['system:node:n1', 'system:authenticated'],
  nameless: ['system:node:', 'system:nodes', 'system:authenticated'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const can = (who: AccessCase['who'], ...asks: readonly string[]): readonly AccessCase[] =>
  asks.map((one) => ({ who, asks: one, may: true }));

const cannot = (who: AccessCase['who'], ...asks: readonly string[]): readonly AccessCase[] =>
  asks.map((one) => ({ who, asks: one, may: false }));

const refused = (who: AccessCase['who'], why: string, ...asks: readonly string[]): readonly AccessCase[] =>
  asks.map((one) => ({ who, asks: one, may: false, why }));

const UNRELATED = "no relationship found between node 'n1' and this object";

export const ROLE_CASES: readonly AccessCase[] = [
  ...can('root', 'get secrets a/s1', 'delete nodes n1', 'post /anything', 'frobnicate things.of.mine x'),
  ...can('petra', 'get pods a/on-n1', 'list pods a/', 'watch pods a/', 'get secrets a/s1', 'update secrets a/s1'),
  ...can('petra', 'get /logs/kubelet', 'get /logs/', 'get /debug', 'get /version', 'get /api', 'get /openapi/v3'),
  ...can(
    'petra',
    'create selfsubjectaccessreviews.authorization.k8s.io',
    'create selfsubjectreviews.authentication.k8s.io',
  ),
  ...cannot('petra', 'get pods b/x', 'list pods', 'get pods/log a/on-n1', 'get secrets a/s2', 'list secrets a/'),
  ...cannot('petra', 'delete secrets a/s1', 'create secrets a/', 'get /debug/pprof', 'post /debug', 'get /logs'),
  ...cannot('petra', 'create subjectaccessreviews.authorization.k8s.io', 'get pods.metrics.k8s.io a/on-n1'),
  ...can('dev', 'get nodes n1', 'list nodes', 'update deployments/scale.apps b/web', 'get pods/log a/on-n1'),
  ...cannot('dev', 'watch nodes', 'get nodes/status n1', 'get deployments/scale.apps b/web', 'get pods/log b/x'),
  ...cannot('dev', 'update deployments.apps b/web', 'update jobs/scale.batch b/web', 'get pods a/on-n1'),
  ...can('builder', 'delete jobs.batch a/j', 'patch jobs/status.batch a/j', 'escalate anything.batch a/x'),
  ...can('builder', 'get /.well-known/openid-configuration', 'get /openid/v1/jwks'),
  ...cannot('builder', 'delete jobs.batch b/j', 'get jobs.batch', 'get pods a/on-n1'),
  ...cannot('idle', 'get jobs.batch a/j'),
  ...cannot('petra', 'get /openid/v1/jwks'),
  ...can('spot', 'list secrets b/', 'list pods/log a/', 'list machosts.infrastructure.cluster.x-k8s.io'),
  ...cannot('spot', 'get secrets b/x', 'list /healthz/etcd'),
  ...can('actor', 'impersonate users petra', 'impersonate groups devs'),
  ...cannot(
    'actor',
    'impersonate users root',
    'impersonate groups system:masters',
    'impersonate serviceaccounts a/idle',
  ),
  ...can(
    'edna',
    'create pods a/',
    'get secrets a/x',
    'create serviceaccounts/token a/builder',
    'create pods/eviction a/on-n1',
  ),
  ...can('edna', 'impersonate serviceaccounts a/idle', 'deletecollection jobs.batch a/'),
  ...cannot(
    'edna',
    'create pods b/',
    'create roles.rbac.authorization.k8s.io a/',
    'update pods/status a/on-n1',
    'get nodes n1',
  ),
  ...can('vera', 'get pods a/on-n1', 'list configmaps a/', 'get pods/log a/on-n1', 'get namespaces a/a'),
  ...cannot(
    'vera',
    'get secrets a/x',
    'create pods a/',
    'get pods/exec a/on-n1',
    'list rolebindings.rbac.authorization.k8s.io a/',
  ),
  ...can(
    'ada',
    'create rolebindings.rbac.authorization.k8s.io a/',
    'delete secrets a/x',
    'create localsubjectaccessreviews.authorization.k8s.io a/',
  ),
  ...cannot(
    'ada',
    'bind clusterroles.rbac.authorization.k8s.io a/edit',
    'escalate roles.rbac.authorization.k8s.io a/',
    'get nodes n1',
  ),
  ...refused('dan', 'RBAC: role.rbac.authorization.k8s.io "not-there" not found', 'get pods a/on-n1'),
  ...can('nobody', 'get /healthz', 'get /version', 'get /livez', 'get /readyz'),
  ...cannot(
    'nobody',
    'get /api',
    'get /metrics',
    'list pods',
    'create selfsubjectreviews.authentication.k8s.io',
    'get /healthz/etcd',
  ),
];

export const NODE_CASES: readonly AccessCase[] = [
  ...can(
    'n1',
    'get nodes n1',
    'watch nodes n1',
    'create nodes',
    'update nodes n1',
    'patch nodes/status n1',
    'patch nodes n2',
  ),
  ...refused('n1', "node 'n1' cannot read all nodes, only its own Node object", 'list nodes', 'watch nodes'),
  ...refused('n1', "node 'n1' cannot read 'n2', only its own Node object", 'get nodes n2'),
  ...cannot('n1', 'delete nodes n1', 'get nodes/status n1', 'deletecollection nodes', 'get nodes/proxy n1'),
  ...can(
    'n1',
    'get secrets a/in-volume',
    'list secrets a/in-volume',
    'watch secrets a/in-projection',
    'get secrets a/in-env',
  ),
  ...can(
    'n1',
    'get secrets a/in-env-from',
    'get secrets a/pull',
    'get configmaps a/in-env',
    'get configmaps a/in-env-from',
  ),
  ...can(
    'n1',
    'watch configmaps a/in-projection',
    'get persistentvolumeclaims a/disk',
    'get serviceaccounts a/builder',
  ),
  ...refused('n1', UNRELATED, 'get secrets a/of-n2', 'get secrets b/in-volume', 'get secrets a/of-unbound'),
  ...refused('n1', UNRELATED, 'get configmaps a/in-volume', 'get serviceaccounts a/idle', 'get pods a/on-n2'),
  ...refused('n1', 'No Object name found', 'list secrets a/'),
  ...refused('n1', 'can only read namespaced object of this type', 'list secrets', 'watch configmaps'),
  ...refused('n1', 'can only read resources of this type', 'update secrets a/in-volume', 'create configmaps a/'),
  ...refused('n1', 'can only get individual resources of this type', 'list persistentvolumeclaims a/'),
  ...can('n1', 'create serviceaccounts/token a/builder', 'patch persistentvolumeclaims/status a/disk'),
  ...refused('n1', UNRELATED, 'create serviceaccounts/token a/idle', 'update persistentvolumeclaims/status a/other'),
  ...refused(
    'n1',
    'can only create tokens for individual service accounts',
    'update serviceaccounts a/builder',
    'list serviceaccounts a/',
  ),
  ...refused('n1', 'can only create token subresource of serviceaccount', 'create serviceaccounts a/builder'),
  ...can(
    'n1',
    'get pods a/on-n1',
    'create pods a/',
    'delete pods a/on-n2',
    'patch pods/status a/on-n2',
    'create pods/eviction a/on-n1',
  ),
  ...cannot(
    'n1',
    'patch pods a/on-n1',
    'update pods a/on-n1',
    'get pods/status a/on-n1',
    'create pods/binding a/on-n1',
    'get pods/log a/on-n1',
  ),
  ...refused('n1', 'can only list/watch pods with spec.nodeName field selector', 'list pods', 'watch pods a/'),
  { who: 'n1', asks: 'list pods', fieldSelector: 'spec.nodeName=n1', may: true },
  { who: 'n1', asks: 'watch pods a/', fieldSelector: 'status.phase!=Failed,spec.nodeName=n1', may: true },
  {
    ...{ who: 'n1', asks: 'list pods', fieldSelector: 'spec.nodeName=n2', may: false },
    why: 'can only list/watch pods with spec.nodeName field selector',
  },
  {
    ...{ who: 'n1', asks: 'list pods', fieldSelector: 'spec.nodeName!=n1', may: false },
    why: 'can only list/watch pods with spec.nodeName field selector',
  },
  ...can(
    'n1',
    'update leases.coordination.k8s.io kube-node-lease/n1',
    'create leases.coordination.k8s.io kube-node-lease/',
  ),
  ...refused(
    'n1',
    'can only access node lease with the same name as the requesting node',
    'get leases.coordination.k8s.io kube-node-lease/n2',
  ),
  ...refused(
    'n1',
    'can only access leases in the "kube-node-lease" system namespace',
    'get leases.coordination.k8s.io kube-system/n1',
  ),
  ...refused(
    'n1',
    'can only get, create, update, patch, or delete a node lease',
    'list leases.coordination.k8s.io kube-node-lease/',
  ),
  ...can('n1', 'create events a/', 'create certificatesigningrequests.certificates.k8s.io', 'list services'),
  ...can('n1', 'create tokenreviews.authentication.k8s.io', 'get runtimeclasses.node.k8s.io x', 'get /version'),
  ...cannot(
    'n1',
    'list events',
    'get namespaces a/a',
    'delete certificatesigningrequests.certificates.k8s.io x',
    'get jobs.batch a/j',
  ),
  ...refused('n3', "no relationship found between node 'n3' and this object", 'get secrets a/in-volume'),
  ...can('n3', 'get nodes n3', 'create nodes'),
  ...cannot('pretender', 'get nodes n1', 'get secrets a/in-volume'),
  ...refused('nameless', 'unknown node for user "system:node:"', 'get nodes n1'),
];
