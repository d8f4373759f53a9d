/**
 * For tests: what the agent of the Node n1 sends, in the cluster of auth/testing/access-world.ts, and how it is answered.
 * A real kube-apiserver 1.36 with NodeRestriction gave the same answers.
 */

export interface NodeRequest {
  readonly story: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** Of a refusal, whole. */
  readonly message?: string;
}

const NODE = '/api/v1/nodes/n1';
const PODS = '/api/v1/namespaces/a/pods';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** A merge patch; every row that is let through leaves the cluster such that the next can begin. */
const patch = (path: string, body: object): Pick<NodeRequest, 'method' | 'path' | 'body'> => ({
  method: 'PATCH',
  path,
  body,
});

const forbidden = (what: string, why: string) => ({ status: 403, message: `${what} is forbidden: ${why}` });

const label = (labels: object) => patch(NODE, { metadata: { labels } });

const MAY_LABEL = [
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'topology.kubernetes.io/zone',
  'node.kubernetes.io/instance-type',
  'node.kubernetes.io/anything',
  'kubelet.kubernetes.io/x',
  'sub.node.kubernetes.io/x',
  'tuist.dev/fleet',
  'plain',
];
const MAY_NOT_LABEL = [
  'node-restriction.kubernetes.io/macfleet-fleet',
  'x.node-restriction.kubernetes.io/y',
  'kubernetes.io/role',
  'node-role.kubernetes.io/control-plane',
  'k8s.io/x',
  'foo.k8s.io/x',
];

const LABELS: readonly NodeRequest[] = [
  ...MAY_LABEL.map((key): NodeRequest => ({ story: `sets its label ${key}`, ...label({ [key]: 'x' }), status: 200 })),
  ...MAY_NOT_LABEL.map(
    (key): NodeRequest => ({
      story: `sets its label ${key}`,
      ...label({ [key]: 'x' }),
      ...forbidden('nodes "n1"', `is not allowed to modify labels: ${key}`),
    }),
  ),
];

const ITSELF: readonly NodeRequest[] = [
  { story: 'annotates itself', ...patch(NODE, { metadata: { annotations: { a: 'b' } } }), status: 200 },
  {
    ...{ story: 'taints itself', ...patch(NODE, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }) },
    ...forbidden('nodes "n1"', 'node "n1" is not allowed to modify taints'),
  },
  {
    story: 'gives itself an owner',
    ...patch(NODE, { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n2', uid: 'u' }] } }),
    ...forbidden('nodes "n1"', 'node "n1" is not allowed to modify ownerReferences'),
  },
  {
    ...{ story: 'reports its status', ...patch(`${NODE}/status`, { status: { capacity: { cpu: '8' } } }) },
    status: 200,
  },
  {
    story: 'labels itself through its status',
    ...patch(`${NODE}/status`, { metadata: { labels: { 'k8s.io/x': 'y' } } }),
    ...forbidden('nodes "n1"', 'is not allowed to modify labels: k8s.io/x'),
  },
  {
    ...{ story: 'writes another Node', ...patch('/api/v1/nodes/n2', { metadata: { annotations: { a: 'b' } } }) },
    ...forbidden('nodes "n2"', 'node "n1" is not allowed to modify node "n2"'),
  },
  {
    ...{ story: 'creates another Node', method: 'POST', path: '/api/v1/nodes' },
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n9' } },
    ...forbidden('nodes "n9"', 'node "n1" is not allowed to modify node "n9"'),
  },
  {
    ...{ story: 'deletes itself', method: 'DELETE', path: NODE },
    ...forbidden(
      'nodes "n1"',
      'User "system:node:n1" cannot delete resource "nodes" in API group "" at the cluster scope',
    ),
  },
];

const lease = (name: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  spec: { holderIdentity: 'n1' },
});

const THE_LEASE: readonly NodeRequest[] = [
  { story: 'creates its Lease', method: 'POST', path: LEASES, body: lease('n1'), status: 201 },
  { story: 'renews its Lease', ...patch(`${LEASES}/n1`, { spec: { leaseDurationSeconds: 40 } }), status: 200 },
  {
    ...{ story: 'creates the Lease of another', method: 'POST', path: LEASES, body: lease('n2') },
    ...forbidden(
      'leases.coordination.k8s.io "n2"',
      'can only access node lease with the same name as the requesting node',
    ),
  },
  {
    ...{ story: 'creates a Lease elsewhere', method: 'POST', body: lease('n1') },
    path: '/apis/coordination.k8s.io/v1/namespaces/a/leases',
    ...forbidden(
      'leases.coordination.k8s.io',
      'User "system:node:n1" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "a": can only access leases in the "kube-node-lease" system namespace',
    ),
  },
];

const status = (name: string, body: object) => patch(`${PODS}/${name}/status`, body);
const MIRROR = { 'kubernetes.io/config.mirror': 'x' };

const mirror = (more: { metadata?: object; spec?: object }): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'm', annotations: MIRROR, ...more.metadata },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...more.spec },
});

const create = (story: string, body: object, why: string): NodeRequest => ({
  ...{ story, method: 'POST', path: PODS, body },
  ...forbidden('pods "m"', why),
});

const PODS_OF_IT: readonly NodeRequest[] = [
  { story: 'reports on its Pod', ...status('on-n1', { status: { phase: 'Running' } }), status: 200 },
  {
    story: 'annotates its Pod through the status',
    ...status('on-n1', { metadata: { annotations: { a: 'b' } } }),
    status: 200,
  },
  {
    story: 'sets a finalizer of its Pod through the status',
    ...status('on-n1', { metadata: { finalizers: ['example.com/x'] } }),
    status: 200,
  },
  { story: 'takes the finalizer away again', ...status('on-n1', { metadata: { finalizers: null } }), status: 200 },
  {
    ...{ story: 'labels its Pod through the status', ...status('on-n1', { metadata: { labels: { a: 'b' } } }) },
    ...forbidden('pods "on-n1"', 'node "n1" cannot update labels through pod status'),
  },
  {
    ...{ story: "reports on another Node's Pod", ...status('on-n2', { status: { phase: 'Running' } }) },
    ...forbidden('pods "on-n2"', 'node "n1" can only update pod status for pods with spec.nodeName set to itself'),
  },
  {
    ...{ story: 'patches its Pod', ...patch(`${PODS}/on-n1`, { metadata: { annotations: { a: 'b' } } }) },
    ...forbidden(
      'pods "on-n1"',
      'User "system:node:n1" cannot patch resource "pods" in API group "" in the namespace "a"',
    ),
  },
  {
    ...{ story: "deletes another Node's Pod", method: 'DELETE', path: `${PODS}/on-n2` },
    ...forbidden('pods "on-n2"', 'node "n1" can only delete pods with spec.nodeName set to itself'),
  },
  {
    ...{ story: 'deletes a Pod that is nowhere', method: 'DELETE', path: `${PODS}/unbound` },
    ...forbidden('pods "unbound"', 'node "n1" can only delete pods with spec.nodeName set to itself'),
  },
  {
    ...{ story: "evicts another Node's Pod", method: 'POST', path: `${PODS}/on-n2/eviction` },
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'on-n2', namespace: 'a' } },
    ...forbidden('pods "on-n2"', 'node n1 can only evict pods with spec.nodeName set to itself'),
  },
  create(
    'creates a Pod that is no mirror',
    mirror({ metadata: { annotations: {} } }),
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ),
  create(
    'creates a mirror Pod elsewhere',
    mirror({ spec: { nodeName: 'n2' } }),
    'node "n1" can only create pods with spec.nodeName set to itself',
  ),
  create(
    'creates a mirror Pod without an owner',
    mirror({}),
    'node "n1" can only create pods with an owner reference set to itself',
  ),
  create(
    'creates a mirror Pod owned by another',
    mirror({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n2', uid: 'u', controller: true }] },
    }),
    'node "n1" can only create pods with an owner reference set to itself',
  ),
  create(
    'creates a mirror Pod that it does not control',
    mirror({ metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u' }] } }),
    'node "n1" can only create pods with a controller owner reference set to itself',
  ),
];

const token = (ref: object | undefined, audiences: readonly string[] = ['vault']): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: { audiences, ...(ref !== undefined && { boundObjectRef: ref }) },
});

const ask = (story: string, body: object, why: string): NodeRequest => ({
  ...{ story, method: 'POST', path: '/api/v1/namespaces/a/serviceaccounts/builder/token', body },
  ...forbidden('serviceaccounts "builder"', why),
});

const ON_N1 = { apiVersion: 'v1', kind: 'Pod', name: 'on-n1' } as const;

const TOKENS: readonly NodeRequest[] = [
  ask('asks for a token of no Pod', token(undefined), 'node requested token not bound to a pod'),
  ask('asks for a token of a Pod by name alone', token(ON_N1), 'node requested token with a pod binding without a uid'),
  ask(
    'asks for a token of a Pod that was there before',
    token({ ...ON_N1, uid: 'old' }),
    'the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
  ),
  {
    ...{ story: 'asks for a token of an account that none of its Pods has', method: 'POST', body: token(ON_N1) },
    path: '/api/v1/namespaces/a/serviceaccounts/idle/token',
    ...forbidden(
      'serviceaccounts "idle"',
      `User "system:node:n1" cannot create resource "serviceaccounts/token" in API group "" in the namespace "a": no relationship found between node 'n1' and this object`,
    ),
  },
];

export const NODE_REQUESTS: readonly NodeRequest[] = [...LABELS, ...ITSELF, ...THE_LEASE, ...PODS_OF_IT, ...TOKENS];
