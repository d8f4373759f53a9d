import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createTestPlane } from '../../testing/plane.ts';

const NS = '/namespaces/default';
const PATHS = {
  pods: `/api/v1${NS}/pods`,
  configmaps: `/api/v1${NS}/configmaps`,
  secrets: `/api/v1${NS}/secrets`,
  nodes: '/api/v1/nodes',
  deployments: `/apis/apps/v1${NS}/deployments`,
  jobs: `/apis/batch/v1${NS}/jobs`,
  budgets: `/apis/policy/v1${NS}/poddisruptionbudgets`,
  bindings: `/apis/rbac.authorization.k8s.io/v1${NS}/rolebindings`,
  csrs: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  leases: `/apis/coordination.k8s.io/v1${NS}/leases`,
} as const;

const container = { name: 'c', image: 'x' };
const labels = { a: 'b' };
const template = { metadata: { labels }, spec: { containers: [container] } };
const selector = { matchLabels: labels };
const jobTemplate = { spec: { restartPolicy: 'Never', containers: [container] } };

interface Row {
  readonly on: keyof typeof PATHS;
  readonly story: string;
  readonly object: object;
  readonly says: string;
}

const podWith = (spec: object) => ({ spec: { containers: [container], ...spec } });
const deploymentWith = (spec: object) => ({ spec: { selector, template, ...spec } });

const creates: readonly Row[] = [
  { on: 'pods', story: 'no container', object: { spec: {} }, says: 'spec.containers: Required value' },
  {
    on: 'pods',
    story: 'an empty container',
    object: podWith({ containers: [{}] }),
    says: '[spec.containers[0].name: Required value, spec.containers[0].image: Required value]',
  },
  {
    on: 'pods',
    story: 'two containers of one name',
    object: podWith({ containers: [container, container] }),
    says: 'spec.containers[1].name: Duplicate value: "c"',
  },
  {
    on: 'pods',
    story: 'a restart policy nobody knows',
    object: podWith({ restartPolicy: 'Sometimes' }),
    says: 'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
  },
  {
    on: 'pods',
    story: 'a mount of no volume',
    object: podWith({ containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/v' }] }] }),
    says: 'spec.containers[0].volumeMounts[0].name: Not found: "v"',
  },
  {
    on: 'pods',
    story: 'a request above its limit',
    object: podWith({
      containers: [{ ...container, resources: { limits: { cpu: '1' }, requests: { cpu: '1500m' } } }],
    }),
    says: 'spec.containers[0].resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1',
  },
  {
    on: 'deployments',
    story: 'a selector that does not select its Pods',
    object: deploymentWith({ selector: { matchLabels: { a: 'other' } } }),
    says: 'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  },
  {
    on: 'deployments',
    story: 'Pods that end',
    object: deploymentWith({ template: { ...template, spec: { containers: [container], restartPolicy: 'Never' } } }),
    says: 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  },
  {
    on: 'deployments',
    story: 'no way to roll',
    object: deploymentWith({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
    says: 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
  },
  {
    on: 'jobs',
    story: 'Pods that never end',
    object: { spec: { template: { spec: { containers: [container] } } } },
    says: 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  },
  {
    on: 'budgets',
    story: 'both bounds',
    object: { spec: { minAvailable: 1, maxUnavailable: 1 } },
    says: 'minAvailable and maxUnavailable cannot be both set',
  },
  {
    on: 'configmaps',
    story: 'a key with a space',
    object: { data: { 'a b': 'x' } },
    says: 'data[a b]: Invalid value: "a b": a valid config key',
  },
  {
    on: 'secrets',
    story: 'a TLS Secret without its key',
    object: { type: 'kubernetes.io/tls', data: { 'tls.crt': 'eA==' } },
    says: 'data[tls.key]: Required value',
  },
  {
    on: 'leases',
    story: 'a lease of negative time',
    object: { spec: { leaseDurationSeconds: -1 } },
    says: 'spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0',
  },
  {
    on: 'csrs',
    story: 'a signer without a domain',
    object: { spec: { request: 'eA==', signerName: 's', usages: ['client auth'] } },
    says: 'spec.signerName: Invalid value: "s": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
  },
];

describe('a create is refused', () => {
  for (const { on, story, object, says } of creates) {
    test(`${on} with ${story}`, () => {
      const { status, body } = createTestPlane().ask('POST', PATHS[on], { metadata: { name: 'o' }, ...object });
      assert.equal(status, 422, JSON.stringify(body));
      assert.ok(String(body['message']).includes(says), String(body['message']));
    });
  }
});

interface Change extends Row {
  readonly patch: object;
}

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };

const changes: readonly Change[] = [
  {
    on: 'pods',
    story: 'the name of a host',
    object: podWith({}),
    patch: { spec: { hostname: 'h' } },
    says: 'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
  },
  {
    on: 'pods',
    story: 'a toleration that was there',
    object: podWith({ tolerations: [{ key: 'a', operator: 'Exists' }] }),
    patch: { spec: { tolerations: [] } },
    says: 'spec.tolerations: Forbidden: existing toleration can not be modified',
  },
  {
    on: 'deployments',
    story: 'the selector',
    object: deploymentWith({}),
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    says: 'field is immutable',
  },
  {
    on: 'jobs',
    story: 'the template',
    object: { spec: { template: jobTemplate } },
    patch: { spec: { template: { spec: { hostname: 'h' } } } },
    says: 'field is immutable',
  },
  {
    on: 'configmaps',
    story: 'an immutable one',
    object: { immutable: true, data: { a: 'b' } },
    patch: { data: { a: 'c' } },
    says: 'data: Forbidden: field is immutable when `immutable` is set',
  },
  {
    on: 'secrets',
    story: 'the type',
    object: { type: 'a/b' },
    patch: { type: 'c/d' },
    says: 'type: Invalid value: "c/d": field is immutable',
  },
  {
    on: 'nodes',
    story: 'the provider id',
    object: { spec: { providerID: 'a://b' } },
    patch: { spec: { providerID: 'c://d' } },
    says: 'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  },
  {
    on: 'bindings',
    story: 'the role',
    object: { roleRef },
    patch: { roleRef: { name: 'other' } },
    says: 'cannot change roleRef',
  },
];

describe('a change is refused', () => {
  for (const { on, story, object, patch, says } of changes) {
    test(`of ${on}: ${story}`, () => {
      const plane = createTestPlane();
      const made = plane.ask('POST', PATHS[on], { metadata: { name: 'o' }, ...object });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { status, body } = plane.patch(`${PATHS[on]}/o`, 'merge', patch);
      assert.equal(status, 422, JSON.stringify(body));
      assert.ok(String(body['message']).includes(says), String(body['message']));
    });
  }
});

test('a Pod may get another image, further tolerations and a shorter deadline', () => {
  const { ask, patch } = createTestPlane();
  ask('POST', PATHS.pods, { metadata: { name: 'o' }, ...podWith({ activeDeadlineSeconds: 9 }) });
  const spec = {
    containers: [{ name: 'c', image: 'other' }],
    tolerations: [{ key: 'a', operator: 'Exists' }],
    activeDeadlineSeconds: 5,
  };
  const { status, body } = patch(`${PATHS.pods}/o`, 'strategic', { spec });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(at(body, 'spec.containers.0.image'), 'other');
  assert.equal(at(body, 'metadata.generation'), 2);
});

test('a Deployment gets the defaults of a real API server', () => {
  const { body } = createTestPlane().ask('POST', PATHS.deployments, { metadata: { name: 'o' }, ...deploymentWith({}) });
  assert.deepEqual(at(body, 'spec'), {
    replicas: 1,
    selector,
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            ...container,
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            imagePullPolicy: 'Always',
          },
        ],
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        securityContext: {},
        schedulerName: 'default-scheduler',
      },
    },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
});
