/** What kubectl 1.36 and our own components send, as they send it. */
import { chapter } from '../case.ts';
import { absent, exactly, including, not, present } from '../match.ts';
import { configMap, deployment, event, gadget, lease, node, pod, refused } from '../objects.ts';

const KUBECTL = { 'user-agent': 'kubectl/v1.36.4 (linux/amd64) kubernetes/0000000' };
const TABLES = {
  ...KUBECTL,
  accept:
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
};
const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
const DEPLOYMENT = '~apps/v1/deployments/a';

export const CLIENTS = [
  ...chapter('patch', 'kubectl apply', [
    {
      id: 'kubectl-apply-creates',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldManager=kubectl-client-side-apply&fieldValidation=Strict',
          headers: KUBECTL,
          send: configMap({ name: 'a', annotations: { [LAST]: '{}' } }, { data: { k: 'v' } }),
          expect: {
            status: 201,
            body: { metadata: { managedFields: [{ manager: 'kubectl-client-side-apply', operation: 'Update' }] } },
          },
        },
      ],
    },
    {
      id: 'kubectl-apply-patches',
      given: [deployment({ name: 'a', annotations: { [LAST]: 'old' } })],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}?fieldManager=kubectl-client-side-apply&fieldValidation=Strict`,
          patch: 'strategic',
          headers: KUBECTL,
          send: {
            metadata: { annotations: { [LAST]: 'new' } },
            spec: {
              replicas: 2,
              template: {
                spec: { '$setElementOrder/containers': [{ name: 'c' }], containers: [{ name: 'c', image: 'new' }] },
              },
            },
          },
          expect: {
            status: 200,
            body: {
              metadata: { annotations: { [LAST]: 'new' }, generation: 2 },
              spec: { replicas: 2, template: { spec: { containers: [{ name: 'c', image: 'new' }] } } },
            },
          },
        },
      ],
    },
    {
      id: 'kubectl-apply-orders-lists',
      given: [deployment('a')],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}?fieldManager=kubectl-client-side-apply`,
          patch: 'strategic',
          send: {
            spec: {
              template: {
                spec: {
                  '$setElementOrder/containers': [{ name: 'first' }, { name: 'c' }],
                  containers: [{ name: 'first', image: 'f' }],
                },
              },
            },
          },
          expect: {
            status: 200,
            body: { spec: { template: { spec: { containers: [{ name: 'first' }, { name: 'c' }] } } } },
          },
        },
      ],
    },
    {
      id: 'kubectl-apply-server-side',
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}?fieldManager=kubectl&fieldValidation=Strict&force=false`,
          patch: 'apply',
          send: deployment('a', { replicas: 1 }),
          expect: {
            status: 201,
            body: { metadata: { managedFields: [{ manager: 'kubectl', operation: 'Apply', apiVersion: 'apps/v1' }] } },
          },
        },
        {
          ask: `PATCH ${DEPLOYMENT}/scale?fieldManager=scaler`,
          patch: 'merge',
          send: { spec: { replicas: 3 } },
          expect: { status: 200 },
        },
        {
          ask: `GET ${DEPLOYMENT}`,
          expect: {
            status: 200,
            body: {
              metadata: {
                managedFields: including({
                  ...{ manager: 'scaler', operation: 'Update', subresource: 'scale' },
                  fieldsV1: exactly({ 'f:spec': { 'f:replicas': {} } }),
                }),
              },
            },
          },
        },
        {
          ask: `PATCH ${DEPLOYMENT}?fieldManager=kubectl&force=false`,
          patch: 'apply',
          send: deployment('a', { replicas: 5 }),
          expect: refused({
            ...{ code: 409, reason: 'Conflict' },
            message:
              'Apply failed with 1 conflict: conflict with "scaler" with subresource "scale" using apps/v1: .spec.replicas',
          }),
        },
      ],
    },
    {
      id: 'scale-of-what-nobody-owns',
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}?fieldManager=kubectl`,
          patch: 'apply',
          send: deployment('a'),
          expect: { status: 201 },
        },
        {
          ask: `PATCH ${DEPLOYMENT}/scale?fieldManager=scaler`,
          patch: 'merge',
          send: { spec: { replicas: 3 } },
          expect: { status: 200 },
        },
        {
          ask: `GET ${DEPLOYMENT}`,
          expect: {
            status: 200,
            body: { spec: { replicas: 3 }, metadata: { managedFields: [{ manager: 'kubectl' }] } },
          },
        },
      ],
    },
    {
      id: 'kubectl-rollout-restart',
      given: [deployment('a')],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}?fieldManager=kubectl-rollout`,
          patch: 'strategic',
          send: {
            spec: {
              template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } },
            },
          },
          expect: {
            status: 200,
            body: { metadata: { generation: 2 }, spec: { template: { metadata: { labels: { app: 'a' } } } } },
          },
        },
      ],
    },
  ]),
  ...chapter('patch', 'kubectl cordon, taint, label', [
    {
      id: 'kubectl-cordon',
      given: [node('kubectl-cordon')],
      steps: [
        {
          ask: 'PATCH /api/v1/nodes/kubectl-cordon',
          patch: 'strategic',
          send: { spec: { unschedulable: true } },
          expect: { status: 200, body: { spec: { unschedulable: true } } },
        },
        {
          ask: 'PATCH /api/v1/nodes/kubectl-cordon',
          patch: 'strategic',
          send: { spec: { unschedulable: null } },
          expect: { status: 200, body: { spec: { unschedulable: absent } } },
        },
      ],
    },
    {
      id: 'kubectl-taint',
      given: [node('kubectl-taint', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })],
      steps: [
        {
          ask: 'PATCH /api/v1/nodes/kubectl-taint?fieldManager=kubectl-taint',
          patch: 'strategic',
          send: { spec: { taints: [{ key: 'b', value: 'x', effect: 'NoExecute' }] } },
          expect: { status: 200, body: { spec: { taints: [{ key: 'b', value: 'x', effect: 'NoExecute' }] } } },
        },
        {
          ask: 'PATCH /api/v1/nodes/kubectl-taint',
          patch: 'merge',
          send: { spec: { taints: [{ key: 'c', effect: 'Sometimes' }] } },
          expect: { status: 422, body: { message: /taints\[0\]\.effect: Unsupported value: "Sometimes"/ } },
        },
      ],
    },
    {
      id: 'kubectl-label-and-unlabel',
      given: [pod('a')],
      steps: [
        {
          ask: 'PATCH ~/pods/a?fieldManager=kubectl-label',
          patch: 'merge',
          send: { metadata: { labels: { x: 'y' } } },
          expect: { status: 200 },
        },
        {
          ask: 'PATCH ~/pods/a?fieldManager=kubectl-label',
          patch: 'merge',
          send: { metadata: { labels: { x: null } } },
          expect: { status: 200, body: { metadata: { labels: absent } } },
        },
      ],
    },
  ]),
  ...chapter('verbs', 'kubectl get, delete, wait', [
    {
      id: 'kubectl-get',
      given: [configMap('a')],
      steps: [
        {
          ask: 'GET ~/configmaps?limit=500',
          headers: TABLES,
          expect: { status: 200, body: { kind: 'Table', apiVersion: 'meta.k8s.io/v1' } },
        },
        {
          ask: 'GET ~/configmaps/a',
          headers: TABLES,
          expect: { status: 200, body: { kind: 'Table', rows: [{ cells: ['a', 0, present] }] } },
        },
        {
          ask: 'GET ~/configmaps/b',
          headers: TABLES,
          expect: { status: 404, body: { kind: 'Status', message: 'configmaps "b" not found' } },
        },
      ],
    },
    {
      id: 'kubectl-delete-foreground',
      given: [deployment('a')],
      steps: [
        {
          ask: `DELETE ${DEPLOYMENT}`,
          headers: KUBECTL,
          send: { kind: 'DeleteOptions', apiVersion: 'apps/v1', propagationPolicy: 'Foreground' },
          expect: { status: 200, body: { kind: 'Deployment', metadata: { finalizers: ['foregroundDeletion'] } } },
        },
      ],
    },
    {
      id: 'kubectl-delete-force',
      given: [pod('a', { nodeName: 'n' })],
      steps: [
        {
          ask: 'DELETE ~/pods/a',
          send: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', gracePeriodSeconds: 0 },
          expect: { status: 200 },
        },
        { ask: 'GET ~/pods/a', expect: { status: 404 } },
      ],
    },
    {
      id: 'kubectl-delete-options-of-another-kind',
      given: [configMap('a')],
      steps: [{ ask: 'DELETE ~/configmaps/a', send: { kind: 'Pod', apiVersion: 'v1' }, expect: { status: 400 } }],
    },
    {
      id: 'kubectl-create-server-dry-run',
      steps: [
        {
          ask: 'POST ~/pods?dryRun=All&fieldManager=kubectl-create&fieldValidation=Strict',
          headers: KUBECTL,
          send: pod('a'),
          expect: { status: 201, body: { spec: { restartPolicy: 'Always' }, status: { phase: 'Pending' } } },
        },
      ],
    },
  ]),
  ...chapter('watch', 'kubectl wait and get -w', [
    {
      id: 'kubectl-wait',
      given: [pod('a')],
      steps: [
        {
          ask: 'GET ~/pods?fieldSelector=metadata.name%3Da',
          expect: { status: 200, body: { items: [{}] } },
          keep: { rv: 'metadata.resourceVersion' },
        },
        {
          watch:
            '~/pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Da&resourceVersion=<rv>&timeoutSeconds=20&watch=true',
          meanwhile: [
            {
              ask: 'PATCH ~/pods/a/status',
              patch: 'strategic',
              send: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
              expect: { status: 200 },
            },
          ],
          lines: [
            { type: 'MODIFIED', object: { status: { conditions: including({ type: 'Ready', status: 'True' }) } } },
          ],
        },
      ],
    },
  ]),
  ...chapter('verbs', 'Our components: leases and events', [
    {
      id: 'lease-renewed-by-version',
      given: [lease('a', { spec: { holderIdentity: 'one', leaseDurationSeconds: 15 } })],
      steps: [
        {
          ask: 'GET ~coordination.k8s.io/v1/leases/a',
          expect: { status: 200 },
          keep: { rv: 'metadata.resourceVersion' },
        },
        {
          ask: 'PUT ~coordination.k8s.io/v1/leases/a',
          send: lease(
            { name: 'a', resourceVersion: '<rv>' },
            { spec: { holderIdentity: 'one', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } },
          ),
          expect: {
            status: 200,
            body: { spec: { renewTime: '2026-01-01T00:00:00.000000Z' }, metadata: { resourceVersion: not('<rv>') } },
          },
        },
        {
          ask: 'PUT ~coordination.k8s.io/v1/leases/a',
          send: lease(
            { name: 'a', resourceVersion: '<rv>' },
            { spec: { holderIdentity: 'two', leaseDurationSeconds: 15 } },
          ),
          expect: { status: 409, body: { reason: 'Conflict' } },
        },
      ],
    },
    {
      id: 'lease-without-version',
      given: [lease('a', { spec: { holderIdentity: 'one', leaseDurationSeconds: 15 } })],
      steps: [
        {
          ask: 'PUT ~coordination.k8s.io/v1/leases/a',
          send: lease('a', { spec: { holderIdentity: 'two', leaseDurationSeconds: 15 } }),
          expect: {
            status: 422,
            body: { message: /metadata\.resourceVersion: Invalid value: .*must be specified for an update/ },
          },
        },
      ],
    },
    {
      id: 'custom-kind-without-version',
      given: [gadget('a', { spec: { size: 1 } })],
      steps: [
        {
          ask: 'PUT ~conformance.macfleet.dev/v1/gadgets/a',
          send: gadget('a', { spec: { size: 2 } }),
          expect: {
            status: 422,
            body: { message: /metadata\.resourceVersion: Invalid value: .*must be specified for an update/ },
          },
        },
      ],
    },
    {
      id: 'event-counted',
      given: [
        event('a', {
          involvedObject: { kind: 'Pod', name: 'p', namespace: 'event-counted' },
          reason: 'X',
          count: 1,
          type: 'Normal',
        }),
      ],
      steps: [
        {
          ask: 'PATCH ~/events/a',
          patch: 'strategic',
          send: { count: 2 },
          expect: { status: 200, body: { count: 2 } },
        },
      ],
    },
    {
      id: 'event-of-another-namespace',
      steps: [
        {
          ask: 'POST ~/events',
          send: event('a', { involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' }, reason: 'X' }),
          expect: {
            status: 422,
            body: { message: /involvedObject\.namespace: Invalid value: "default": does not match event\.namespace/ },
          },
        },
      ],
    },
    {
      id: 'finalizer-added-by-version',
      given: [pod('a')],
      steps: [
        { ask: 'GET ~/pods/a', expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        {
          ask: 'PATCH ~/pods/a',
          patch: 'merge',
          send: { metadata: { resourceVersion: '<rv>', finalizers: ['example.org/mine'] } },
          expect: { status: 200, body: { metadata: { finalizers: exactly(['example.org/mine']) } } },
        },
      ],
    },
  ]),
];
