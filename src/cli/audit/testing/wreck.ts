/**
 * A wreck of a fleet, as years under the Go original may leave one: each problem planted once, beside things that look
 * like it and are in order. For the table of rules and for the end-to-end test, which find the same in it.
 */
import type { KubeObject } from '../../../kube/types/meta.ts';

export interface Planted {
  readonly resource: string;
  readonly object: KubeObject & Readonly<Record<string, unknown>>;
  /** Deleted after it was made, and held by its finalizer. */
  readonly after?: 'delete';
}

export interface Problem {
  /** What an audit must say, and all that it must say, about these objects. */
  readonly finds: readonly string[];
  readonly story: string;
  readonly objects: readonly Planted[];
}

const NAMESPACE = 'tuist';
const POOL = { prefix: 'tuist-pool-' };
const uuid = (digit: number): string => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;
const providerId = (digit: number): string => `scw-applesilicon://fr-par-1/${uuid(digit)}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const place = (resource: string, name: string, fields: object, metadata: object = {}): Planted => ({
  resource,
  object: { metadata: { name, namespace: NAMESPACE, ...metadata }, ...fields },
});

const machine = (name: string, digit: number): Planted =>
  place('machines', name, {
    spec: { fleetName: 'macos' },
    status: { serverID: uuid(digit), phase: 'Ready', ready: true },
  });

const node = (name: string, spec: object): Planted => ({
  resource: 'nodes',
  object: { metadata: { name, labels: { 'tuist.dev/runtime': 'tart' } }, spec },
});

const host = (digit: number, spec: object): Planted => ({
  resource: 'hosts',
  object: {
    metadata: { name: uuid(digit) },
    spec: {
      source: { scaleway: { projectID: 'p', zone: 'fr-par-1', serverID: uuid(digit) } },
      ...{ pool: POOL, type: 'M2-L', osFamily: 'Tahoe', ...spec },
    },
  },
});

const pod = (name: string, spec: object, finalizers: readonly string[]): Planted => ({
  ...place('pods', name, { spec: { containers: [{ name: 'vm', image: 'x' }], ...spec } }, { finalizers }),
  after: 'delete',
});

const token = (account: string): Planted =>
  place(
    'secrets',
    `${account}-token`,
    { type: 'kubernetes.io/service-account-token', data: { token: base64('a.b.c') } },
    { annotations: { 'kubernetes.io/service-account.name': account } },
  );

const account = (name: string): Planted => place('serviceAccounts', name, {});

const bindingOf = (role: string, name: string, account: string): Planted => ({
  resource: 'clusterRoleBindings',
  object: {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
  },
});

const roleOf = (name: string, rules: readonly object[]): Planted => ({
  resource: 'clusterRoles',
  object: { metadata: { name }, rules },
});

const NODE_CLIENT = {
  role: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
  rule: {
    ...{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests/nodeclient'], verbs: ['create'] },
  },
};

const approving = (role: string, name: string, group: string): Planted => ({
  resource: 'clusterRoleBindings',
  object: {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    ...{ subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }] },
  },
});

const lease = (namespace: string, nowMs: number): Planted =>
  place(
    'leases',
    'scaleway-applesilicon.infrastructure.cluster.x-k8s.io',
    {
      spec: {
        ...{ holderIdentity: `manager-of-${namespace}`, leaseDurationSeconds: 60 },
        renewTime: new Date(nowMs).toISOString().replace('Z', '000Z'),
      },
    },
    { namespace },
  );

const FINALIZER = 'tart-kubelet.tuist.dev/vm-cleanup';
const TOLERATIONS = [{ key: 'tuist.dev/macos', operator: 'Exists' }];
const READ = ['get', 'list', 'watch'];

/** In order, and so found by nobody. */
export const HEALTHY: readonly Planted[] = [
  approving(NODE_CLIENT.role, 'as-kubeadm-has-it', 'system:bootstrappers:kubeadm:default-node-token'),
  machine('mac-1', 1),
  node('mac-1', { providerID: providerId(1) }),
  host(2, {}),
  place('secrets', 'mac-1-bootstrap', { data: { 'sudo-password': base64('correct horse') } }),
  place('secrets', 'other-bootstrap', { data: { 'sudo-password': '' } }),
  place('secrets', 'seal', { data: { 'sudo-password': base64('<sealed>') } }),
  { resource: 'nodes', object: { metadata: { name: 'linux-1' } } },
  pod('someone-elses', { nodeName: 'linux-1' }, ['example.com/keep']),
  roleOf('secrets-reader', [{ apiGroups: [''], resources: ['secrets'], verbs: READ }]),
  bindingOf('secrets-reader', 'secrets-reader', 'external-secrets'),
];

const LASTING: readonly Problem[] = [
  {
    story: 'two machines on one Mac',
    finds: [`DuplicateClaim server/${uuid(3)}`],
    objects: [machine('twin-a', 3), machine('twin-b', 3)],
  },
  {
    story: 'two Nodes that are one Mac',
    finds: [`DuplicateNode server/${uuid(4)}`],
    objects: [
      machine('was', 4),
      node('was', { providerID: providerId(4) }),
      node('became', { providerID: providerId(4) }),
    ],
  },
  {
    story: 'a Node that no Machine can be bound to',
    finds: ['NodeWithoutProviderID node/unbound'],
    objects: [machine('unbound', 5), node('unbound', {})],
  },
  {
    story: 'the Node of the Mac that the machine had before',
    finds: ['NodeOfAnotherMac node/swapped'],
    objects: [machine('swapped', 6), node('swapped', { providerID: 'scw-applesilicon://fr-par-1/before' })],
  },
  {
    story: 'Macs that are held, in quarantine, or claimed by nobody that lives',
    finds: [`UnownedHost machost/${uuid(7)}`, `UnownedHost machost/${uuid(8)}`, `UnownedHost machost/${uuid(9)}`],
    objects: [
      host(7, { hold: { reason: 'OwnerVanished', message: 'tuist/gone is gone' } }),
      host(8, { quarantine: { reason: 'BootstrapFailed', since: '2026-01-01T00:00:00Z' } }),
      host(9, { claimRef: { namespace: NAMESPACE, name: 'gone', uid: 'no-such-uid' } }),
    ],
  },
  {
    story: 'a Node that nobody has on record',
    finds: ['NodeWithoutMachine node/forgotten'],
    objects: [node('forgotten', { providerID: 'scw-applesilicon://fr-par-1/forgotten' })],
  },
  {
    story: 'Pods whose Node is gone, held by its agent',
    finds: ['StuckPods pods on gone-mac, namespace tuist', 'StuckPods pod/tuist/lonely'],
    objects: [
      pod('stuck-1', { nodeName: 'gone-mac', tolerations: TOLERATIONS }, [FINALIZER]),
      pod('stuck-2', { nodeName: 'gone-mac', tolerations: TOLERATIONS }, [FINALIZER]),
      pod('lonely', { nodeName: 'mac-1', tolerations: TOLERATIONS }, [FINALIZER]),
    ],
  },
  {
    story: 'a marker staged as a password',
    finds: ['SealedPassword secret/tuist/sealed-bootstrap', 'SealedPassword secret/tuist/encoded-bootstrap'],
    objects: [
      place('secrets', 'sealed-bootstrap', { data: { 'sudo-password': base64('<sealed>') } }),
      place('secrets', 'encoded-bootstrap', { data: { 'sudo-password': base64('vnc://m1:%3Csealed%3E@1.2.3.4') } }),
    ],
  },
  {
    story: 'tokens without an end, one of a machine that is gone',
    finds: [
      'EndlessToken secret/tuist/tart-kubelet-mac-1-token',
      'EndlessToken secret/tuist/tart-kubelet-long-gone-token',
    ],
    objects: [
      account('tart-kubelet-mac-1'),
      token('tart-kubelet-mac-1'),
      account('tart-kubelet-long-gone'),
      token('tart-kubelet-long-gone'),
      account('capi-remote'),
      token('capi-remote'),
    ],
  },
  {
    story: 'Macs that may read every Secret, and a manager that may',
    finds: ['MacsMayTooMuch clusterrole/tuist-tart-kubelet', 'ManagerReadsSecrets clusterrole/tuist-manager'],
    objects: [
      roleOf('tuist-tart-kubelet', [
        { apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'update', 'patch'] },
        { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: READ },
        { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
      ]),
      bindingOf('tuist-tart-kubelet', 'tart-kubelet-mac-1', 'tart-kubelet-mac-1'),
      roleOf('tuist-manager', [
        { apiGroups: ['infrastructure.cluster.x-k8s.io'], resources: ['scalewayapplesiliconmachines'], verbs: ['*'] },
        { apiGroups: [''], resources: ['secrets'], verbs: ['*'] },
      ]),
      bindingOf('tuist-manager', 'tuist-manager', 'tuist-manager'),
    ],
  },
  {
    story: 'tokens of Macs that Kubernetes itself approves',
    finds: [
      'TokensApprovedUnseen clusterrolebinding/auto-approve',
      'TokensApprovedUnseen clusterrolebinding/of-our-own',
    ],
    objects: [
      approving(NODE_CLIENT.role, 'auto-approve', 'system:bootstrappers'),
      roleOf('approves-macs', [NODE_CLIENT.rule]),
      approving('approves-macs', 'of-our-own', 'system:bootstrappers:macfleet'),
    ],
  },
];

/** `nowMs`: when the audit looks. */
export const problemsAt = (nowMs: number): readonly Problem[] => [
  ...LASTING,
  {
    story: 'two managers that lead',
    finds: ['TwoLeaders lease/scaleway-applesilicon.infrastructure.cluster.x-k8s.io'],
    objects: [lease('tuist', nowMs), lease('default', nowMs)],
  },
];
