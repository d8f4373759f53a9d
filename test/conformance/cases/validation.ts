/** What is refused although it is well-formed: names, fields, what may not change, what is unknown. */
import { chapter } from '../case.ts';
import { absent, present } from '../match.ts';
import {
  budget,
  configMap,
  deployment,
  invalid,
  job,
  pathFor,
  pod,
  priorityClass,
  refused,
  role,
  secret,
} from '../objects.ts';

const refuses = (id: string, object: object, message: unknown, ...causes: readonly (readonly [string, string])[]) => ({
  id,
  steps: [{ ask: `POST ${pathFor(object)}`, send: object, expect: invalid(message, ...causes) }],
});
const container = (fields: object) => ({ containers: [{ name: 'c', image: 'i', ...fields }] });
const LABEL = 'a valid label must be an empty string or consist of alphanumeric characters';

export const VALIDATION = [
  ...chapter('validation', 'Object names and IDs', [
    refuses(
      'name-upper-case',
      configMap('Big'),
      /^ConfigMap "Big" is invalid: metadata\.name: Invalid value: "Big": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '\.', and must start and end with an alphanumeric character/,
      ['metadata.name', 'FieldValueInvalid'],
    ),
    refuses(
      'name-too-long',
      configMap('a'.repeat(254)),
      /metadata\.name: .*must be no more than 253 (bytes|characters)/,
      ['metadata.name', 'FieldValueInvalid'],
    ),
    refuses('label-value', configMap({ name: 'a', labels: { k: 'not ok' } }), new RegExp(LABEL), [
      'metadata.labels',
      'FieldValueInvalid',
    ]),
    refuses(
      'label-key',
      configMap({ name: 'a', labels: { '-k': 'v' } }),
      /metadata\.labels: Invalid value: "-k": name part must consist of/,
      ['metadata.labels', 'FieldValueInvalid'],
    ),
    refuses(
      'finalizer-name',
      configMap({ name: 'a', finalizers: ['plain'] }),
      /metadata\.finalizers(\[0\])?: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified/,
      ['metadata.finalizers[0]', 'FieldValueInvalid'],
    ),
    refuses(
      'owner-without-uid',
      configMap({ name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }] }),
      'ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ['metadata.ownerReferences.uid', 'FieldValueInvalid'],
    ),
    {
      id: 'owner-two-controllers',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({
            name: 'a',
            ownerReferences: ['p', 'q'].map((name) => ({
              apiVersion: 'v1',
              kind: 'Pod',
              name,
              uid: name,
              controller: true,
            })),
          }),
          expect: { status: 422, body: { message: /Only one reference can have Controller set to true/ } },
        },
      ],
    },
    {
      id: 'namespace-is-a-label',
      steps: [
        {
          ask: 'POST /api/v1/namespaces',
          send: { metadata: { name: 'a.b' } },
          expect: {
            status: 422,
            body: { message: /must not contain dots|a lowercase RFC 1123 label must consist of/ },
          },
        },
      ],
    },
  ]),
  ...chapter('validation', 'Workload fields', [
    refuses('pod-no-containers', pod('a', { containers: [] }), 'Pod "a" is invalid: spec.containers: Required value', [
      'spec.containers',
      'FieldValueRequired',
    ]),
    refuses(
      'pod-no-image',
      pod('a', { containers: [{ name: 'c' }] }),
      'Pod "a" is invalid: spec.containers[0].image: Required value',
      ['spec.containers[0].image', 'FieldValueRequired'],
    ),
    refuses(
      'pod-two-of-a-name',
      pod('a', {
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'i' },
        ],
      }),
      'Pod "a" is invalid: spec.containers[1].name: Duplicate value: "c"',
      ['spec.containers[1].name', 'FieldValueDuplicate'],
    ),
    refuses(
      'pod-restart-policy',
      pod('a', { restartPolicy: 'Sometimes' }),
      'Pod "a" is invalid: spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      ['spec.restartPolicy', 'FieldValueNotSupported'],
    ),
    refuses(
      'pod-volume-missing',
      pod('a', container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })),
      'Pod "a" is invalid: spec.containers[0].volumeMounts[0].name: Not found: "v"',
      ['spec.containers[0].volumeMounts[0].name', 'FieldValueNotFound'],
    ),
    refuses(
      'pod-limit-below-request',
      pod('a', container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } })),
      'Pod "a" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ['spec.containers[0].resources.requests', 'FieldValueInvalid'],
    ),
    refuses(
      'pod-env-name',
      pod('a', container({ env: [{ name: 'a=b', value: '1' }] })),
      /spec\.containers\[0\]\.env\[0\]\.name: Invalid value: "a=b"/,
      ['spec.containers[0].env[0].name', 'FieldValueInvalid'],
    ),
    {
      id: 'pod-bad-quantity',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', container({ resources: { requests: { cpu: 'much' } } })),
          expect: refused({
            code: 400,
            reason: 'BadRequest',
            message: /^Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression/,
          }),
        },
      ],
    },
    {
      id: 'pod-defaults',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a'),
          expect: {
            status: 201,
            body: {
              spec: {
                ...{
                  restartPolicy: 'Always',
                  dnsPolicy: 'ClusterFirst',
                  schedulerName: 'default-scheduler',
                  terminationGracePeriodSeconds: 30,
                },
                ...{
                  serviceAccountName: 'default',
                  securityContext: {},
                  priority: 0,
                  preemptionPolicy: 'PreemptLowerPriority',
                  enableServiceLinks: true,
                },
                containers: [
                  {
                    imagePullPolicy: 'Always',
                    terminationMessagePath: '/dev/termination-log',
                    terminationMessagePolicy: 'File',
                    resources: {},
                  },
                ],
                tolerations: [
                  {
                    key: 'node.kubernetes.io/not-ready',
                    operator: 'Exists',
                    effect: 'NoExecute',
                    tolerationSeconds: 300,
                  },
                  {
                    key: 'node.kubernetes.io/unreachable',
                    operator: 'Exists',
                    effect: 'NoExecute',
                    tolerationSeconds: 300,
                  },
                ],
              },
              status: { phase: 'Pending', qosClass: 'BestEffort' },
            },
          },
        },
      ],
    },
    {
      id: 'pod-priority-of-a-class',
      given: [priorityClass('pod-priority-of-a-class', { value: 77 })],
      steps: [
        {
          ask: 'POST ~/pods',
          is: 'eventual',
          send: pod('a', { priorityClassName: 'pod-priority-of-a-class' }),
          expect: { status: 201, body: { spec: { priority: 77 } } },
        },
        {
          ask: 'POST ~/pods',
          send: pod('b', { priorityClassName: 'nowhere' }),
          expect: {
            status: 403,
            body: { message: 'pods "b" is forbidden: no PriorityClass with name nowhere was found' },
          },
        },
      ],
    },
    {
      id: 'pod-account-missing',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', { serviceAccountName: 'nobody' }),
          expect: {
            status: 403,
            body: {
              message:
                'pods "a" is forbidden: error looking up service account pod-account-missing/nobody: serviceaccount "nobody" not found',
            },
          },
        },
      ],
    },
    refuses(
      'deployment-selector-mismatch',
      deployment('a', { selector: { matchLabels: { app: 'b' } } }),
      /spec\.template\.metadata\.labels: Invalid value: \{"app":"a"\}: `selector` does not match template `labels`/,
      ['spec.template.metadata.labels', 'FieldValueInvalid'],
    ),
    {
      id: 'deployment-defaults',
      steps: [
        {
          ask: 'POST ~apps/v1/deployments',
          send: deployment('a'),
          expect: {
            status: 201,
            body: {
              spec: {
                replicas: 1,
                revisionHistoryLimit: 10,
                progressDeadlineSeconds: 600,
                strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
              },
            },
          },
        },
      ],
    },
    refuses(
      'deployment-no-room',
      deployment('a', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      /spec\.strategy\.rollingUpdate\.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0/,
      ['spec.strategy.rollingUpdate.maxUnavailable', 'FieldValueInvalid'],
    ),
    refuses(
      'job-restart-policy',
      job('a', { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } }),
      /spec\.template\.spec\.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
      ['spec.template.spec.restartPolicy', 'FieldValueRequired'],
    ),
    {
      id: 'job-defaults',
      steps: [
        {
          ask: 'POST ~batch/v1/jobs',
          send: job('a'),
          expect: {
            status: 201,
            body: {
              spec: {
                completions: 1,
                parallelism: 1,
                backoffLimit: 6,
                completionMode: 'NonIndexed',
                suspend: false,
                selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': present } },
              },
            },
          },
        },
      ],
    },
    refuses(
      'budget-both',
      budget('a', { spec: { minAvailable: 1, maxUnavailable: 1, selector: {} } }),
      /minAvailable and maxUnavailable cannot be both set/,
      ['spec', 'FieldValueInvalid'],
    ),
    refuses(
      'config-map-key',
      configMap('a', { data: { 'a b': '1' } }),
      /data\[a b\]: Invalid value: "a b": a valid config key must consist of/,
      ['data[a b]', 'FieldValueInvalid'],
    ),
    refuses(
      'secret-tls-needs-keys',
      secret('a', { type: 'kubernetes.io/tls', data: {} }),
      /data\[tls\.crt\]: Required value/,
      ['data[tls.crt]', 'FieldValueRequired'],
      ['data[tls.key]', 'FieldValueRequired'],
    ),
    {
      id: 'secret-string-data',
      steps: [
        {
          ask: 'POST ~/secrets',
          send: secret('a', { stringData: { k: 'v' } }),
          expect: { status: 201, body: { type: 'Opaque', data: { k: 'dg==' }, stringData: absent } },
        },
      ],
    },
    {
      id: 'secret-not-base64',
      steps: [
        {
          ask: 'POST ~/secrets',
          send: secret('a', { data: { k: '%' } }),
          expect: { status: 400, body: { reason: 'BadRequest', message: /illegal base64 data at input byte 0/ } },
        },
      ],
    },
    refuses(
      'role-without-verbs',
      role('a', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }),
      /rules\[0\]\.verbs: Required value: verbs must contain at least one value/,
      ['rules[0].verbs', 'FieldValueRequired'],
    ),
  ]),
];
