/** status, scale, binding, eviction, approval, token. */
import { chapter, type RequestStep } from '../case.ts';
import { absent, including, present } from '../match.ts';
import { budget, deployment, notFound, pod, refused, serviceAccount } from '../objects.ts';

const merge = (path: string, send: unknown, expect: object): RequestStep => ({
  ask: `PATCH ${path}`,
  patch: 'merge',
  send,
  expect,
});
const binding = (target: object) => ({ apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target });
const eviction = (fields: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name: 'a' },
  ...fields,
});
const evict = (expect: object, fields: object = {}, query = ''): RequestStep => ({
  ask: `POST ~/pods/a/eviction${query}`,
  send: eviction(fields),
  expect,
});
const labelled = pod({ name: 'a', labels: { app: 'a' } }, { nodeName: 'n' });
const ready = merge(
  '~/pods/a/status',
  { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
  { status: 200 },
);
const allow = (disruptionsAllowed: number) =>
  merge(
    '~policy/v1/poddisruptionbudgets/b/status',
    { status: { observedGeneration: 1, disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 } },
    { status: 200 },
  );

const SCALE = '~apps/v1/deployments/a/scale';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** Of a key that nobody keeps: CN=system:node:conformance, O=system:nodes. */
const REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHzMIGbAgEAMDkxFTATBgNVBAoMDHN5c3RlbTpub2RlczEgMB4GA1UEAwwXc3lz
dGVtOm5vZGU6Y29uZm9ybWFuY2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATh
K6BsKLWMN6uTetH7Dgz7f67euJfD/Vw/rbl/S3Xiz6PVN/7E5N8YoAheXQTC6o9z
XQHeUbc92NCiyhPvviTYoAAwCgYIKoZIzj0EAwIDRwAwRAIgDZkTl9N8uQdIPmM0
GVZq10kPnJscsipAsAQDO/W/hhcCIHZdV0ccK91x6e4dPxrv6Dov64SzIht0zfdU
Xg7ikDMN
-----END CERTIFICATE REQUEST-----
`;
const signing = (name: string) => ({
  ...{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name } },
  spec: {
    request: Buffer.from(REQUEST).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
    username: 'somebody-else',
  },
});
const approval = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'ok' }] } };

export const SUBRESOURCES = [
  ...chapter('subresources', 'API concepts: status subresource', [
    {
      id: 'status-apart',
      given: [deployment('a')],
      steps: [
        merge(
          '~apps/v1/deployments/a',
          { status: { replicas: 3 } },
          { status: 200, body: { status: { replicas: absent } } },
        ),
        merge(
          '~apps/v1/deployments/a/status',
          { spec: { replicas: 9 }, status: { replicas: 3 } },
          { status: 200, body: { spec: { replicas: 1 }, status: { replicas: 3 }, metadata: { generation: 1 } } },
        ),
      ],
    },
    {
      id: 'status-of-a-pod-sets-annotations',
      given: [pod('a')],
      steps: [
        merge(
          '~/pods/a/status',
          { metadata: { annotations: { x: 'y' } }, status: { phase: 'Running' } },
          { status: 200, body: { metadata: { annotations: { x: 'y' } }, status: { phase: 'Running' } } },
        ),
      ],
    },
    { id: 'status-missing', steps: [{ ask: 'GET ~/pods/a/status', expect: notFound('pods', 'a') }] },
    {
      id: 'status-cannot-be-deleted',
      given: [pod('a')],
      steps: [{ ask: 'DELETE ~/pods/a/status', expect: { status: 405 } }],
    },
    {
      id: 'no-such-subresource',
      given: [pod('a')],
      steps: [
        {
          ask: 'GET ~/pods/a/nothing',
          expect: { status: 404, body: { message: 'the server could not find the requested resource' } },
        },
      ],
    },
    { id: 'config-maps-have-no-status', steps: [{ ask: 'GET ~/configmaps/a/status', expect: { status: 404 } }] },
  ]),
  ...chapter('subresources', 'API concepts: scale subresource', [
    {
      id: 'scale-read-and-write',
      given: [deployment('a', { replicas: 2 })],
      steps: [
        {
          ask: `GET ${SCALE}`,
          expect: {
            status: 200,
            body: {
              kind: 'Scale',
              apiVersion: 'autoscaling/v1',
              metadata: { name: 'a', uid: present },
              spec: { replicas: 2 },
              status: { replicas: 0, selector: 'app=a' },
            },
          },
          keep: { rv: 'metadata.resourceVersion' },
        },
        {
          ask: `PUT ${SCALE}`,
          send: {
            kind: 'Scale',
            apiVersion: 'autoscaling/v1',
            metadata: { name: 'a', namespace: '<ns>', resourceVersion: '<rv>' },
            spec: { replicas: 4 },
          },
          expect: { status: 200, body: { spec: { replicas: 4 } } },
        },
        {
          ask: `PUT ${SCALE}`,
          send: {
            kind: 'Scale',
            apiVersion: 'autoscaling/v1',
            metadata: { name: 'a', namespace: '<ns>', resourceVersion: '<rv>' },
            spec: { replicas: 5 },
          },
          expect: { status: 409 },
        },
        {
          ask: 'GET ~apps/v1/deployments/a',
          expect: { status: 200, body: { spec: { replicas: 4 }, metadata: { generation: 2 } } },
        },
      ],
    },
    {
      id: 'scale-patch',
      given: [deployment('a')],
      steps: [merge(SCALE, { spec: { replicas: 3 } }, { status: 200, body: { kind: 'Scale', spec: { replicas: 3 } } })],
    },
    {
      id: 'scale-below-zero',
      given: [deployment('a')],
      steps: [
        merge(
          SCALE,
          { spec: { replicas: -1 } },
          { status: 422, body: { message: /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/ } },
        ),
      ],
    },
    { id: 'scale-of-nothing', steps: [{ ask: `GET ${SCALE}`, expect: notFound('deployments', 'a', 'apps') }] },
  ]),
  ...chapter('subresources', 'Scheduling: binding', [
    {
      id: 'bind',
      given: [pod('a')],
      steps: [
        {
          ask: 'POST ~/pods/a/binding',
          send: binding({ kind: 'Node', name: 'n1' }),
          expect: { status: 201, body: { kind: 'Status', status: 'Success' } },
        },
        {
          ask: 'GET ~/pods/a',
          expect: {
            status: 200,
            body: {
              spec: { nodeName: 'n1' },
              status: { conditions: including({ type: 'PodScheduled', status: 'True' }) },
            },
          },
        },
        {
          ask: 'POST ~/pods/a/binding',
          send: binding({ kind: 'Node', name: 'n2' }),
          expect: refused({
            code: 409,
            reason: 'Conflict',
            message: 'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
          }),
        },
      ],
    },
    {
      id: 'bind-to-nothing',
      given: [pod('a')],
      steps: [
        {
          ask: 'POST ~/pods/a/binding',
          send: binding({ kind: 'Node', name: '' }),
          expect: { status: 500, body: { message: 'target.name: Required value' } },
        },
      ],
    },
    {
      id: 'bind-missing',
      steps: [{ ask: 'POST ~/pods/a/binding', send: binding({ kind: 'Node', name: 'n' }), expect: { status: 404 } }],
    },
    { id: 'bind-only-posts', given: [pod('a')], steps: [{ ask: 'GET ~/pods/a/binding', expect: { status: 405 } }] },
    {
      id: 'bind-other-uid',
      given: [pod('a')],
      steps: [
        {
          ask: 'POST ~/pods/a/binding',
          send: { ...binding({ kind: 'Node', name: 'n' }), metadata: { name: 'a', uid: 'other' } },
          expect: { status: 409, body: { reason: 'Conflict' } },
        },
      ],
    },
  ]),
  ...chapter('subresources', 'API-initiated eviction', [
    {
      id: 'evict-free',
      given: [labelled],
      steps: [
        evict({ status: 201, body: { kind: 'Status', status: 'Success' } }),
        { ask: 'GET ~/pods/a', expect: { status: 200, body: { metadata: { deletionTimestamp: present } } } },
      ],
    },
    {
      id: 'evict-refused',
      given: [labelled, budget('b', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } } })],
      steps: [
        ready,
        allow(0),
        evict(
          refused({
            ...{
              code: 429,
              reason: 'TooManyRequests',
              message: "Cannot evict pod as it would violate the pod's disruption budget.",
            },
            details: {
              causes: [
                {
                  reason: 'DisruptionBudget',
                  message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
                },
              ],
            },
          }),
        ),
        { ask: 'GET ~/pods/a', expect: { status: 200, body: { metadata: { deletionTimestamp: absent } } } },
      ],
    },
    {
      id: 'evict-spends-the-budget',
      given: [labelled, budget('b', { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } } })],
      steps: [
        ready,
        allow(1),
        evict({ status: 201 }),
        {
          ask: 'GET ~policy/v1/poddisruptionbudgets/b',
          expect: { status: 200, body: { status: { disruptionsAllowed: 0, disruptedPods: { a: present } } } },
        },
      ],
    },
    {
      id: 'evict-budget-not-observed',
      given: [labelled, budget('b', { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } } })],
      steps: [ready, evict({ status: 429, body: { reason: 'TooManyRequests' } })],
    },
    {
      id: 'evict-two-budgets',
      given: [
        labelled,
        ...['b', 'c'].map((name) =>
          budget(name, { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } } }),
        ),
      ],
      steps: [
        ready,
        evict({
          status: 500,
          body: {
            message:
              /This pod has more than one PodDisruptionBudget, which the eviction subresource does not support\./,
          },
        }),
      ],
    },
    {
      id: 'evict-dry-run',
      given: [labelled],
      steps: [
        evict({ status: 201 }, {}, '?dryRun=All'),
        { ask: 'GET ~/pods/a', expect: { status: 200, body: { metadata: { deletionTimestamp: absent } } } },
      ],
    },
    { id: 'evict-missing', steps: [evict(notFound('pods', 'a'))] },
    {
      id: 'evict-finished',
      given: [labelled, budget('b', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } } })],
      steps: [merge('~/pods/a/status', { status: { phase: 'Failed' } }, { status: 200 }), evict({ status: 201 })],
    },
  ]),
  ...chapter('subresources', 'Certificates: signing requests', [
    {
      id: 'csr-user-and-approval',
      steps: [
        {
          ask: `POST ${CSRS}`,
          send: signing('csr-user-and-approval'),
          expect: {
            status: 201,
            body: {
              spec: { username: 'conformance-admin', groups: including('system:masters', 'system:authenticated') },
            },
          },
        },
        { ask: `GET ${CSRS}/csr-user-and-approval`, expect: { status: 200, body: { status: {} } } },
        merge(`${CSRS}/csr-user-and-approval`, approval, { status: 200, body: { status: { conditions: absent } } }),
        merge(`${CSRS}/csr-user-and-approval/status`, approval, { status: 422 }),
        merge(`${CSRS}/csr-user-and-approval/approval`, approval, {
          status: 200,
          body: { status: { conditions: [{ type: 'Approved', lastUpdateTime: present }] } },
        }),
        merge(
          `${CSRS}/csr-user-and-approval/approval`,
          { status: { conditions: [{ type: 'Denied', status: 'True', reason: 'x' }] } },
          { status: 422 },
        ),
      ],
    },
    {
      id: 'csr-spec-is-immutable',
      steps: [
        { ask: `POST ${CSRS}`, send: signing('csr-spec-is-immutable'), expect: { status: 201 } },
        merge(
          `${CSRS}/csr-spec-is-immutable`,
          { spec: { signerName: 'x.org/y' } },
          { status: 200, body: { spec: { signerName: 'kubernetes.io/kube-apiserver-client' } } },
        ),
      ],
    },
    {
      id: 'csr-not-pem',
      steps: [
        {
          ask: `POST ${CSRS}`,
          send: { ...signing('csr-not-pem'), spec: { ...signing('x').spec, request: 'YQ==' } },
          expect: {
            status: 422,
            body: { message: /spec\.request: Invalid value: .*PEM block type must be CERTIFICATE REQUEST/ },
          },
        },
      ],
    },
  ]),
  ...chapter('subresources', 'Managing Service Accounts: TokenRequest', [
    {
      id: 'token-request',
      given: [serviceAccount('robot')],
      steps: [
        {
          ask: 'POST ~/serviceaccounts/robot/token',
          send: { spec: { expirationSeconds: 600 } },
          expect: {
            status: 201,
            body: {
              kind: 'TokenRequest',
              apiVersion: 'authentication.k8s.io/v1',
              status: { token: /^ey/, expirationTimestamp: present },
            },
          },
          keep: { token: 'status.token' },
        },
        {
          ask: 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
          token: '<token>',
          send: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
          expect: {
            status: 201,
            body: {
              status: {
                userInfo: {
                  username: 'system:serviceaccount:<ns>:robot',
                  groups: ['system:serviceaccounts', 'system:serviceaccounts:<ns>', 'system:authenticated'],
                },
              },
            },
          },
        },
        { ask: 'DELETE ~/serviceaccounts/robot', expect: { status: 200 } },
        { ask: 'GET ~/pods', token: '<token>', is: 'eventual', expect: { status: 401 } },
      ],
    },
    {
      id: 'token-too-short',
      given: [serviceAccount('robot')],
      steps: [
        {
          ask: 'POST ~/serviceaccounts/robot/token',
          send: { spec: { expirationSeconds: 60 } },
          expect: {
            status: 422,
            body: {
              message: /spec\.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes/,
            },
          },
        },
      ],
    },
    {
      id: 'token-of-nobody',
      steps: [{ ask: 'POST ~/serviceaccounts/nobody/token', send: { spec: {} }, expect: { status: 404 } }],
    },
    {
      id: 'token-other-audience',
      given: [serviceAccount('robot')],
      steps: [
        {
          ask: 'POST ~/serviceaccounts/robot/token',
          send: { spec: { audiences: ['vault'] } },
          expect: { status: 201, body: { spec: { audiences: ['vault'] } } },
          keep: { token: 'status.token' },
        },
        { ask: 'GET ~/pods', token: '<token>', expect: { status: 401, body: { reason: 'Unauthorized' } } },
        {
          ask: 'POST /apis/authentication.k8s.io/v1/tokenreviews',
          send: {
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenReview',
            spec: { token: '<token>', audiences: ['vault'] },
          },
          expect: {
            status: 201,
            body: {
              status: {
                authenticated: true,
                audiences: ['vault'],
                user: { username: 'system:serviceaccount:<ns>:robot' },
              },
            },
          },
        },
      ],
    },
    {
      id: 'token-bound-to-a-pod',
      given: [serviceAccount('robot'), pod('a', { serviceAccountName: 'robot' })],
      steps: [
        {
          ask: 'POST ~/serviceaccounts/robot/token',
          send: { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'b' } } },
          expect: { status: 404 },
        },
        {
          ask: 'POST ~/serviceaccounts/robot/token',
          send: { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'a' } } },
          expect: { status: 201 },
          keep: { token: 'status.token' },
        },
        { ask: 'GET ~/pods', token: '<token>', expect: { status: 403 } },
        { ask: 'DELETE ~/pods/a', expect: { status: 200 } },
        { ask: 'GET ~/pods', token: '<token>', is: 'eventual', expect: { status: 401 } },
      ],
    },
  ]),
];
