import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../../base/logger.ts';
import { createSeededRandom } from '../../../base/random.ts';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { createGuardedApi } from '../../control-plane.ts';
import { parseStoredObject } from '../../store/object.ts';
import { createStore, keyFor, type Store } from '../../store/store.ts';
import { parseAttempt } from '../attempt.ts';
import { serviceAccountUser, type User } from '../user.ts';
import { CONTROLLER_MANAGER, type ControllerAccount, controllerUser } from './roles-for-controllers.ts';

const start = (store: Store = createStore()) =>
  createGuardedApi({ store, clock: createManualClock(), random: createSeededRandom('roles'), logger: silentLogger });

const { authorize } = start();
const POD = '/api/v1/namespaces/ns/pods/p';
const MACHINE = '/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/m';
const CSR = '/apis/certificates.k8s.io/v1/certificatesigningrequests/c';

/** What each is there for, and something near it that is another's business. */
const rows: readonly (readonly [ControllerAccount, string, string])[] = [
  ['scheduler', `POST ${POD}/binding`, `PATCH ${POD}`],
  ['scheduler', `PATCH ${POD}/status`, 'POST /api/v1/namespaces/ns/pods'],
  ['job-controller', 'POST /api/v1/namespaces/ns/pods', `POST ${POD}/binding`],
  ['job-controller', 'PATCH /apis/batch/v1/namespaces/ns/jobs/j/status', 'DELETE /apis/batch/v1/namespaces/ns/jobs/j'],
  [
    'ttl-after-finished-controller',
    'DELETE /apis/batch/v1/namespaces/ns/jobs/j',
    'PATCH /apis/batch/v1/namespaces/ns/jobs/j',
  ],
  ['replicaset-controller', `DELETE ${POD}`, 'POST /apis/apps/v1/namespaces/ns/replicasets'],
  ['deployment-controller', 'POST /apis/apps/v1/namespaces/ns/replicasets', 'POST /api/v1/namespaces/ns/pods'],
  [
    'disruption-controller',
    'PATCH /apis/policy/v1/namespaces/ns/poddisruptionbudgets/b/status',
    'PATCH /apis/policy/v1/namespaces/ns/poddisruptionbudgets/b',
  ],
  ['node-controller', 'PATCH /api/v1/nodes/n/status', 'POST /api/v1/nodes'],
  ['pod-garbage-collector', `DELETE ${POD}`, 'DELETE /api/v1/nodes/n'],
  ['namespace-controller', 'DELETE /api/v1/namespaces/ns/secrets/s', 'PATCH /api/v1/namespaces/ns/secrets/s'],
  ['service-account-controller', 'POST /api/v1/namespaces/ns/serviceaccounts', 'POST /api/v1/namespaces/ns/secrets'],
  ['root-ca-cert-publisher', 'POST /api/v1/namespaces/ns/configmaps', 'DELETE /api/v1/namespaces/ns/configmaps/c'],
  [
    'clusterrole-aggregation-controller',
    'PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/r',
    'PATCH /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/r',
  ],
  ['certificate-controller', `PUT ${CSR}/approval`, 'POST /apis/certificates.k8s.io/v1/certificatesigningrequests'],
  ['token-cleaner', 'DELETE /api/v1/namespaces/kube-system/secrets/s', 'DELETE /api/v1/namespaces/ns/secrets/s'],
  ['generic-garbage-collector', `PATCH ${MACHINE}`, 'POST /api/v1/namespaces/ns/pods'],
  // Nodes and Pods are of another cluster to it, even where that is this one.
  ['cluster-api', `PATCH ${MACHINE}/status`, 'PATCH /api/v1/nodes/n'],
  ['cluster-api', 'GET /api/v1/namespaces/ns/secrets/s', `POST ${POD}/eviction`],
];

const isAllowed = (user: User, asked: string): boolean => {
  const [method = '', path = ''] = asked.split(' ');
  return authorize(parseAttempt({ method, path, user })).isAllowed;
};

describe('a controller of the control plane', () => {
  for (const [account, may, mayNot] of rows) {
    it(`${account} may ${may}, and not ${mayNot}`, () => {
      assert.equal(isAllowed(controllerUser(account), may), true);
      assert.equal(isAllowed(controllerUser(account), mayNot), false);
    });
  }

  it('may watch everything together with the others, and that name writes nothing of theirs', () => {
    assert.equal(isAllowed(CONTROLLER_MANAGER, 'GET /api/v1/pods?watch=true'), true);
    assert.equal(isAllowed(CONTROLLER_MANAGER, 'GET /apis/example.com/v1/things'), true);
    for (const [, may] of rows.filter(([, asked]) => !asked.startsWith('GET') && !asked.includes('serviceaccounts'))) {
      const isSecret = may.includes('/secrets');
      assert.equal(isAllowed(CONTROLLER_MANAGER, may), isSecret, may);
    }
  });

  it('has its rights by its account, not by its name alone', () => {
    const namesake = serviceAccountUser({ namespace: 'default', name: 'job-controller' });
    assert.equal(isAllowed(namesake, 'POST /api/v1/namespaces/ns/pods'), false);
  });
});

describe('the roles of an older version', () => {
  const COLLECTION = 'rbac.authorization.k8s.io/clusterrolebindings';
  const KEY = keyFor(undefined, 'capi-manager-rolebinding');
  const mallory = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'added-by-hand' };
  const older = (annotations: object) =>
    parseStoredObject({
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
      metadata: { name: 'capi-manager-rolebinding', uid: 'u', annotations },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'capi-manager-role' },
      subjects: [mallory],
    });
  const subjectsAfter = (annotations: object) => {
    const store = createStore();
    store.put(COLLECTION, older(annotations));
    start(store);
    return store.get(COLLECTION, KEY)?.object['subjects'];
  };

  it('get what they lack and keep what somebody added', () => {
    const account = { kind: 'ServiceAccount', name: 'capi-manager', namespace: 'capi-system' };
    assert.deepEqual(subjectsAfter({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' }), [mallory, account]);
  });

  it('are left alone when somebody says so', () => {
    assert.deepEqual(subjectsAfter({ 'rbac.authorization.kubernetes.io/autoupdate': 'false' }), [mallory]);
  });

  it('are complete after one start: the next writes nothing', () => {
    const store = createStore();
    start(store);
    const { revision } = store;
    start(store);
    assert.equal(store.revision, revision);
  });
});
