/**
 * For tests: a small cluster with people, roles, Nodes and Pods, and ways to ask about it. The rows of access-cases.ts are
 * about this cluster; a real API server that holds the same objects gave the same verdicts.
 */
import { createIds } from '../../../base/ids.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createKeyPair } from '../../../pki/key.ts';
import { parseStoredObject, type StoredObject } from '../../store/object.ts';
import { createStore } from '../../store/store.ts';
import { createAccessGate } from '../access-gate.ts';
import { renderBootstrap } from '../bootstrap/ensure-roles.ts';
import { createTokens } from '../tokens/tokens.ts';

interface Placed {
  readonly collection: string;
  readonly object: object;
}

const named = (kind: string, name: string, namespace?: string, rest: object = {}): object => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }), uid: `uid-of-${name}` },
  ...rest,
});

const pod = (name: string, spec: object, metadata: object = {}): Placed => ({
  collection: '/pods',
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'a', uid: `uid-of-${name}`, ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  },
});

const RBAC = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const;
const RBAC_GROUP = 'rbac.authorization.k8s.io';

const role = (name: string, namespace: string | undefined, rules: readonly object[]): Placed => ({
  collection: `${RBAC_GROUP}/${namespace === undefined ? 'clusterroles' : 'roles'}`,
  object: {
    ...RBAC,
    kind: namespace === undefined ? 'ClusterRole' : 'Role',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    rules,
  },
});

const binding = (
  name: string,
  namespace: string | undefined,
  [kind, roleName]: readonly [string, string],
  to: object,
): Placed => ({
  collection: `${RBAC_GROUP}/${namespace === undefined ? 'clusterrolebindings' : 'rolebindings'}`,
  object: {
    ...RBAC,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: RBAC_GROUP, kind, name: roleName },
    subjects: [to],
  },
});

const person = (name: string): object => ({ kind: 'User', apiGroup: RBAC_GROUP, name });
const group = (name: string): object => ({ kind: 'Group', apiGroup: RBAC_GROUP, name });

const secretVolume = { name: 'v', secret: { secretName: 'in-volume' } };
const projected = {
  name: 'p',
  projected: {
    sources: [
      { secret: { name: 'in-projection' } },
      { configMap: { name: 'in-projection' } },
      { serviceAccountToken: { path: 't', audience: 'vault' } },
    ],
  },
};
const fromSecrets = [
  { name: 'A', valueFrom: { secretKeyRef: { name: 'in-env', key: 'k' } } },
  { name: 'B', valueFrom: { configMapKeyRef: { name: 'in-env', key: 'k' } } },
];
const envFrom = [{ secretRef: { name: 'in-env-from' } }, { configMapRef: { name: 'in-env-from' } }];

/** In the order in which a real API server takes them. */
export const WORLD: readonly Placed[] = [
  ...['a', 'b'].map((name) => ({ collection: '/namespaces', object: named('Namespace', name) })),
  ...['n1', 'n2'].map((name) => ({ collection: '/nodes', object: named('Node', name) })),
  ...['default', 'builder', 'idle'].map((name) => ({
    collection: '/serviceaccounts',
    object: named('ServiceAccount', name, 'a'),
  })),
  pod('on-n1', {
    nodeName: 'n1',
    serviceAccountName: 'builder',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [{ name: 'c', image: 'i', env: fromSecrets, envFrom }],
    volumes: [secretVolume, projected, { name: 'd', persistentVolumeClaim: { claimName: 'disk' } }],
  }),
  pod('on-n2', {
    nodeName: 'n2',
    serviceAccountName: 'default',
    volumes: [{ name: 'v', secret: { secretName: 'of-n2' } }],
  }),
  pod('unbound', { serviceAccountName: 'default', volumes: [{ name: 'v', secret: { secretName: 'of-unbound' } }] }),
  role('pod-reader', 'a', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }]),
  role('one-secret', 'a', [
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['s1'], verbs: ['get', 'update'] },
  ]),
  role('node-reader', undefined, [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }]),
  role('scaler', undefined, [{ apiGroups: ['apps'], resources: ['*/scale'], verbs: ['update'] }]),
  role('logs', undefined, [{ apiGroups: [''], resources: ['pods/log'], verbs: ['*'] }]),
  role('batcher', undefined, [{ apiGroups: ['batch'], resources: ['*'], verbs: ['*'] }]),
  role('spotter', undefined, [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]),
  role('paths', undefined, [{ nonResourceURLs: ['/logs/*', '/debug'], verbs: ['get'] }]),
  role('impersonator', undefined, [
    { apiGroups: [''], resources: ['users'], resourceNames: ['petra'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['groups'], resourceNames: ['devs'], verbs: ['impersonate'] },
  ]),
  role('clerk', undefined, [
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
      verbs: ['update', 'patch'],
    },
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['kubernetes.io/kube-apiserver-client-kubelet'],
      verbs: ['approve'],
    },
  ]),
  binding('clerk', undefined, ['ClusterRole', 'clerk'], person('clerk')),
  binding('petra-reads-pods', 'a', ['Role', 'pod-reader'], person('petra')),
  binding('petra-one-secret', 'a', ['Role', 'one-secret'], person('petra')),
  binding('devs-read-nodes', undefined, ['ClusterRole', 'node-reader'], group('devs')),
  binding('devs-scale', undefined, ['ClusterRole', 'scaler'], group('devs')),
  binding('devs-logs-in-a', 'a', ['ClusterRole', 'logs'], group('devs')),
  binding('builder-batches', 'a', ['ClusterRole', 'batcher'], {
    kind: 'ServiceAccount',
    name: 'builder',
    namespace: 'a',
  }),
  binding('spotter', undefined, ['ClusterRole', 'spotter'], person('spot')),
  binding('paths', undefined, ['ClusterRole', 'paths'], person('petra')),
  binding('impersonator', undefined, ['ClusterRole', 'impersonator'], person('actor')),
  binding('edna-edits-a', 'a', ['ClusterRole', 'edit'], person('edna')),
  binding('vera-views-a', 'a', ['ClusterRole', 'view'], person('vera')),
  binding('ada-administers-a', 'a', ['ClusterRole', 'admin'], person('ada')),
  binding('dangling', 'a', ['Role', 'not-there'], person('dan')),
];

export const createAccessWorld = () => {
  const clock = createManualClock();
  const random = createSeededRandom('access');
  const store = createStore();
  const put = (collection: string, object: object): StoredObject =>
    store.put(collection, parseStoredObject(object)).object;
  for (const { collection, object } of [...renderBootstrap(), ...WORLD]) put(collection, object);
  const signingKey = createKeyPair(random);
  const ids = createIds(random);
  const tokens = createTokens({ store, clock, signingKey });
  const gate = createAccessGate({ store, clock, ids, tokens });
  return { clock, random, store, ids, tokens, signingKey, gate, put };
};
