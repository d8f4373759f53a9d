/** Deleting: finalizers, preconditions, propagation, grace, namespaces. */
import { chapter } from '../case.ts';
import { including, present } from '../match.ts';
import { configMap, invalid, notFound, pod, refused } from '../objects.ts';

const POD = '~/pods/a';
const MAP = '~/configmaps/a';

export const DELETION = [
  ...chapter('verbs', 'API concepts: deletion', [
    {
      id: 'delete-answers-status',
      given: [configMap('a')],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { uid: 'metadata.uid' } },
        {
          ask: `DELETE ${MAP}`,
          expect: {
            status: 200,
            body: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid: '<uid>' } },
          },
        },
        { ask: `GET ${MAP}`, expect: notFound('configmaps', 'a') },
        { ask: `DELETE ${MAP}`, expect: notFound('configmaps', 'a') },
      ],
    },
    {
      id: 'delete-waits-for-finalizers',
      given: [configMap({ name: 'a', finalizers: ['example.org/hold'] })],
      steps: [
        {
          ask: `DELETE ${MAP}`,
          expect: {
            status: 200,
            body: { kind: 'ConfigMap', metadata: { deletionTimestamp: present, deletionGracePeriodSeconds: 0 } },
          },
          keep: { rv: 'metadata.resourceVersion' },
        },
        { ask: `DELETE ${MAP}`, expect: { status: 200, body: { metadata: { resourceVersion: '<rv>' } } } },
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { metadata: { finalizers: ['example.org/hold', 'example.org/new'] } },
          expect: refused({
            ...{ code: 422, reason: 'Invalid' },
            message:
              'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.org/new"}',
            details: { causes: including({ field: 'metadata.finalizers', reason: 'FieldValueForbidden' }) },
          }),
        },
        { ask: `PATCH ${MAP}`, patch: 'merge', send: { metadata: { finalizers: null } }, expect: { status: 200 } },
        { ask: `GET ${MAP}`, expect: notFound('configmaps', 'a') },
      ],
    },
    {
      id: 'delete-precondition-uid',
      given: [configMap('a')],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { uid: 'metadata.uid', rv: 'metadata.resourceVersion' } },
        {
          ask: `DELETE ${MAP}`,
          send: { preconditions: { uid: 'other' } },
          expect: refused({
            ...{ code: 409, reason: 'Conflict' },
            message:
              'Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (<uid>). The object might have been deleted and then recreated',
          }),
        },
        {
          ask: `DELETE ${MAP}`,
          send: { preconditions: { resourceVersion: '1' } },
          expect: refused({
            ...{ code: 409, reason: 'Conflict' },
            message:
              'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (<rv>). The object might have been modified',
          }),
        },
        {
          ask: `DELETE ${MAP}`,
          send: { preconditions: { uid: '<uid>', resourceVersion: '<rv>' } },
          expect: { status: 200 },
        },
      ],
    },
    {
      id: 'delete-foreground',
      given: [configMap('a')],
      steps: [
        {
          ask: `DELETE ${MAP}?propagationPolicy=Foreground`,
          expect: {
            status: 200,
            body: { metadata: { finalizers: ['foregroundDeletion'], deletionTimestamp: present } },
          },
        },
        { ask: `GET ${MAP}`, expect: { status: 200, body: { metadata: { deletionTimestamp: present } } } },
      ],
    },
    {
      id: 'delete-orphan',
      given: [configMap('a')],
      steps: [
        {
          ask: `DELETE ${MAP}`,
          send: { propagationPolicy: 'Orphan' },
          expect: { status: 200, body: { metadata: { finalizers: ['orphan'], deletionTimestamp: present } } },
        },
      ],
    },
    {
      id: 'delete-background',
      given: [configMap('a')],
      steps: [
        { ask: `DELETE ${MAP}?propagationPolicy=Background`, expect: { status: 200, body: { status: 'Success' } } },
        { ask: `GET ${MAP}`, expect: notFound('configmaps', 'a') },
      ],
    },
    {
      id: 'delete-policy-is-checked',
      given: [configMap('a')],
      steps: [
        {
          ask: `DELETE ${MAP}?propagationPolicy=Sideways`,
          expect: invalid(
            'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
            ['propagationPolicy', 'FieldValueNotSupported'],
          ),
        },
        {
          ask: `DELETE ${MAP}`,
          send: { orphanDependents: true, propagationPolicy: 'Orphan' },
          expect: invalid(/orphanDependents and deletionPropagation cannot be both set/, [
            'propagationPolicy',
            'FieldValueInvalid',
          ]),
        },
      ],
    },
    {
      id: 'delete-collection',
      given: [
        configMap({ name: 'a', labels: { x: 'y' } }),
        configMap({ name: 'b', labels: { x: 'y' } }),
        configMap('c'),
      ],
      steps: [
        {
          ask: 'DELETE ~/configmaps?labelSelector=x%3Dy',
          expect: {
            status: 200,
            body: { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] },
          },
        },
        { ask: 'GET ~/configmaps', expect: { status: 200, body: { items: [{ metadata: { name: 'c' } }] } } },
      ],
    },
    {
      id: 'delete-collection-everywhere',
      steps: [{ ask: 'DELETE /api/v1/configmaps', expect: { status: 405, body: { reason: 'MethodNotAllowed' } } }],
    },
    {
      id: 'delete-collection-of-namespaces',
      steps: [{ ask: 'DELETE /api/v1/namespaces', expect: { status: 405, body: { reason: 'MethodNotAllowed' } } }],
    },
  ]),
  ...chapter('verbs', 'Pod lifecycle: termination of Pods', [
    {
      id: 'delete-pod-unbound',
      given: [pod('a')],
      steps: [
        { ask: `DELETE ${POD}`, expect: { status: 200, body: { kind: 'Pod', metadata: { name: 'a' } } } },
        { ask: `GET ${POD}`, expect: notFound('pods', 'a') },
      ],
    },
    {
      id: 'delete-pod-bound-waits',
      given: [pod('a', { nodeName: 'n' })],
      steps: [
        {
          ask: `DELETE ${POD}`,
          expect: {
            status: 200,
            body: { kind: 'Pod', metadata: { deletionTimestamp: present, deletionGracePeriodSeconds: 30 } },
          },
        },
        { ask: `GET ${POD}`, expect: { status: 200, body: { metadata: { deletionGracePeriodSeconds: 30 } } } },
        {
          ask: `DELETE ${POD}`,
          send: { gracePeriodSeconds: 5 },
          expect: { status: 200, body: { metadata: { deletionGracePeriodSeconds: 5 } } },
        },
        { ask: `DELETE ${POD}?gracePeriodSeconds=0`, expect: { status: 200, body: { kind: 'Pod' } } },
        { ask: `GET ${POD}`, expect: notFound('pods', 'a') },
      ],
    },
    {
      id: 'delete-pod-grace-of-spec',
      given: [pod('a', { nodeName: 'n', terminationGracePeriodSeconds: 7 })],
      steps: [{ ask: `DELETE ${POD}`, expect: { status: 200, body: { metadata: { deletionGracePeriodSeconds: 7 } } } }],
    },
    {
      id: 'delete-pod-finished',
      given: [pod('a', { nodeName: 'n' })],
      steps: [
        {
          ask: `PATCH ${POD}/status`,
          patch: 'merge',
          send: { status: { phase: 'Succeeded' } },
          expect: { status: 200 },
        },
        { ask: `DELETE ${POD}`, expect: { status: 200 } },
        { ask: `GET ${POD}`, expect: notFound('pods', 'a') },
      ],
    },
    {
      id: 'delete-pod-finalizer-and-grace',
      given: [{ ...pod({ name: 'a', finalizers: ['example.org/hold'] }, { nodeName: 'n' }) }],
      steps: [
        {
          ask: `DELETE ${POD}?gracePeriodSeconds=0`,
          expect: { status: 200, body: { metadata: { deletionGracePeriodSeconds: 0 } } },
        },
        { ask: `PATCH ${POD}`, patch: 'merge', send: { metadata: { finalizers: [] } }, expect: { status: 200 } },
        { ask: `GET ${POD}`, expect: notFound('pods', 'a') },
      ],
    },
    {
      id: 'delete-negative-grace',
      given: [pod('a', { nodeName: 'n' })],
      steps: [
        {
          ask: `DELETE ${POD}`,
          send: { gracePeriodSeconds: -1 },
          expect: { status: 200, body: { metadata: { deletionGracePeriodSeconds: 1 } } },
        },
      ],
    },
  ]),
  ...chapter('verbs', 'Namespaces: life', [
    {
      id: 'namespace-missing',
      steps: [
        {
          ask: 'POST /api/v1/namespaces/not-there/configmaps',
          send: configMap('a'),
          expect: refused({
            ...{ code: 404, reason: 'NotFound', message: 'namespaces "not-there" not found' },
            details: { name: 'not-there', kind: 'namespaces' },
          }),
        },
        { ask: 'GET /api/v1/namespaces/not-there/configmaps', expect: { status: 200, body: { items: [] } } },
      ],
    },
    {
      id: 'namespace-furnished',
      steps: [
        {
          ask: 'GET /api/v1/namespaces/<ns>',
          expect: {
            status: 200,
            body: {
              metadata: { labels: { 'kubernetes.io/metadata.name': '<ns>' } },
              spec: { finalizers: ['kubernetes'] },
              status: { phase: 'Active' },
            },
          },
        },
      ],
    },
    {
      id: 'namespace-terminating',
      given: [configMap('a')],
      steps: [
        {
          ask: 'DELETE /api/v1/namespaces/<ns>',
          expect: {
            status: 200,
            body: { kind: 'Namespace', status: { phase: 'Terminating' }, metadata: { deletionTimestamp: present } },
          },
        },
        {
          ask: 'POST ~/configmaps',
          is: 'eventual',
          send: configMap({ generateName: 'b-' }),
          expect: refused({
            ...{ code: 403, reason: 'Forbidden' },
            message:
              /^configmaps "b-\w*" is forbidden: unable to create new content in namespace namespace-terminating because it is being terminated$/,
            details: {
              causes: including({
                reason: 'NamespaceTerminating',
                message: 'namespace <ns> is being terminated',
                field: 'metadata.namespace',
              }),
            },
          }),
        },
        { ask: `PATCH ${MAP}`, patch: 'merge', send: { data: { k: 'v' } }, expect: { status: 200 } },
        { ask: 'DELETE /api/v1/namespaces/<ns>', expect: { status: 200, body: { status: { phase: 'Terminating' } } } },
      ],
    },
    {
      id: 'namespace-finalize',
      steps: [
        { ask: 'DELETE /api/v1/namespaces/<ns>', expect: { status: 200 } },
        {
          ask: 'PUT /api/v1/namespaces/<ns>/finalize',
          send: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: '<ns>' }, spec: { finalizers: [] } },
          expect: { status: 200 },
        },
        { ask: 'GET /api/v1/namespaces/<ns>', expect: notFound('namespaces', '<ns>') },
      ],
    },
    {
      id: 'namespace-protected',
      steps: [
        {
          ask: 'DELETE /api/v1/namespaces/kube-system',
          expect: refused({
            ...{ code: 403, reason: 'Forbidden' },
            message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
          }),
        },
      ],
    },
  ]),
];
