/** create, get, update, delete, deletecollection on the kinds that every cluster has. */
import { chapter } from '../case.ts';
import { absent, not, present } from '../match.ts';
import { configMap, deployment, invalid, notFound, pod, refused, secret } from '../objects.ts';

const _POD = '~/pods/a';
const MAP = '~/configmaps/a';

const conflict = (plural: string, name: string) =>
  refused({
    ...{ code: 409, reason: 'Conflict', details: { name, kind: plural } },
    message: `Operation cannot be fulfilled on ${plural} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  });

export const VERBS = [
  ...chapter('verbs', 'API concepts: create', [
    {
      id: 'create-fills-metadata',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap('a', { data: { k: 'v' } }),
          expect: {
            status: 201,
            headers: { 'content-type': 'application/json' },
            body: {
              ...{ kind: 'ConfigMap', apiVersion: 'v1', data: { k: 'v' } },
              metadata: {
                ...{ name: 'a', namespace: '<ns>', resourceVersion: /^\d+$/, generation: absent, selfLink: absent },
                uid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
                creationTimestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
              },
            },
          },
        },
      ],
    },
    {
      id: 'create-gives-amounts-one-form',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', {
            containers: [
              {
                ...{ name: 'c', image: 'i' },
                resources: {
                  requests: { cpu: '0.5', memory: '16384Mi' },
                  limits: { cpu: 2, memory: '24.5Gi', 'ephemeral-storage': '1000000' },
                },
              },
            ],
          }),
          expect: {
            status: 201,
            body: {
              spec: {
                containers: [
                  {
                    resources: {
                      requests: { cpu: '500m', memory: '16Gi' },
                      limits: { cpu: '2', memory: '25088Mi', 'ephemeral-storage': '1M' },
                    },
                  },
                ],
              },
            },
          },
        },
      ],
    },
    {
      id: 'create-without-type',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: { metadata: { name: 'a' } },
          expect: { status: 201, body: { kind: 'ConfigMap', apiVersion: 'v1' } },
        },
      ],
    },
    {
      id: 'create-twice',
      given: [configMap('a')],
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap('a'),
          expect: refused({
            ...{ code: 409, reason: 'AlreadyExists', message: 'configmaps "a" already exists' },
            details: { name: 'a', kind: 'configmaps' },
          }),
        },
      ],
    },
    {
      id: 'create-twice-in-a-group',
      given: [deployment('a')],
      steps: [
        {
          ask: 'POST ~apps/v1/deployments',
          send: deployment('a'),
          expect: refused({
            ...{ code: 409, reason: 'AlreadyExists', message: 'deployments.apps "a" already exists' },
            details: { name: 'a', group: 'apps', kind: 'deployments' },
          }),
        },
      ],
    },
    {
      id: 'create-with-a-version',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({ name: 'a', resourceVersion: '7' }),
          expect: refused({
            ...{ code: 500, reason: absent },
            message: 'resourceVersion should not be set on objects to be created',
          }),
        },
      ],
    },
    {
      id: 'create-ignores-given-uid',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({ name: 'a', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z' }),
          expect: { status: 201, body: { metadata: { uid: not('mine'), creationTimestamp: /^20[2-9]/ } } },
        },
      ],
    },
    {
      id: 'create-other-namespace',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({ name: 'a', namespace: 'default' }),
          expect: refused({
            ...{ code: 400, reason: 'BadRequest' },
            message: 'the namespace of the provided object does not match the namespace sent on the request',
          }),
        },
      ],
    },
    {
      id: 'create-other-kind',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: secret('a'),
          expect: refused({
            ...{ code: 400, reason: 'BadRequest' },
            message: /^Secret in version "v1" cannot be handled as a ConfigMap: /,
          }),
        },
      ],
    },
    {
      id: 'create-without-name',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} },
          expect: invalid('ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required', [
            'metadata.name',
            'FieldValueRequired',
            'Required value: name or generateName is required',
          ]),
        },
      ],
    },
    {
      id: 'create-clears-status',
      steps: [
        {
          ask: 'POST ~apps/v1/deployments',
          send: { ...deployment('a'), status: { replicas: 5 } },
          expect: { status: 201, body: { status: { replicas: absent }, metadata: { generation: 1 } } },
        },
      ],
    },
    {
      id: 'create-cluster-wide-path',
      steps: [
        {
          ask: 'POST /api/v1/configmaps',
          send: configMap('a'),
          expect: refused({
            code: 405,
            reason: 'MethodNotAllowed',
            message: 'the server does not allow this method on the requested resource',
          }),
        },
      ],
    },
    {
      id: 'create-yaml',
      steps: [
        {
          ask: 'POST ~/configmaps',
          headers: { 'content-type': 'application/yaml' },
          send: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: "1"\n',
          expect: { status: 201, body: { data: { k: '1' } } },
        },
      ],
    },
    {
      id: 'create-yaml-with-windows-line-ends',
      steps: [
        {
          ask: 'POST ~/configmaps',
          headers: { 'content-type': 'application/yaml' },
          send: 'apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: a\r\ndata:\r\n  k: |\r\n    one\r\n    two\r\n',
          expect: { status: 201, body: { metadata: { name: 'a' }, data: { k: 'one\ntwo\n' } } },
        },
      ],
    },
  ]),
  ...chapter('verbs', 'API concepts: generated values', [
    {
      id: 'generate-name',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({ generateName: 'of-' }),
          expect: {
            status: 201,
            body: { metadata: { name: /^of-[bcdfghjklmnpqrstvwxz2456789]{5}$/, generateName: 'of-' } },
          },
        },
      ],
    },
    {
      id: 'generate-name-loses-to-name',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({ generateName: 'of-', name: 'a' }),
          expect: { status: 201, body: { metadata: { name: 'a', generateName: 'of-' } } },
        },
      ],
    },
    {
      id: 'generate-name-is-cut',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap({ generateName: 'x'.repeat(250) }),
          expect: { status: 201, body: { metadata: { name: /^x{58}[a-z0-9]{5}$/ } } },
        },
      ],
    },
  ]),
  ...chapter('verbs', 'API concepts: get', [
    {
      id: 'get-one',
      given: [configMap('a', { data: { k: 'v' } })],
      steps: [{ ask: `GET ${MAP}`, expect: { status: 200, body: { kind: 'ConfigMap', metadata: { name: 'a' } } } }],
    },
    { id: 'get-missing', steps: [{ ask: `GET ${MAP}`, expect: notFound('configmaps', 'a') }] },
    {
      id: 'get-missing-in-a-group',
      steps: [{ ask: 'GET ~apps/v1/deployments/a', expect: notFound('deployments', 'a', 'apps') }],
    },
    {
      id: 'get-unknown-resource',
      steps: [
        {
          ask: 'GET ~/gizmos/a',
          expect: refused({
            ...{ code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' },
            details: {},
          }),
        },
      ],
    },
    {
      id: 'get-future-version',
      given: [configMap('a')],
      steps: [
        {
          ask: `GET ${MAP}?resourceVersion=99999999`,
          expect: refused({
            ...{
              code: 504,
              reason: 'Timeout',
              message: /^Timeout: Too large resource version: 99999999, current: \d+$/,
            },
            details: {
              retryAfterSeconds: 1,
              causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
            },
          }),
        },
      ],
    },
    {
      id: 'get-from-cache',
      given: [configMap('a')],
      steps: [
        {
          ask: `GET ${MAP}?resourceVersion=0`,
          is: 'eventual',
          expect: { status: 200, body: { metadata: { name: 'a' } } },
        },
      ],
    },
  ]),
  ...chapter('verbs', 'API concepts: updates to existing resources', [
    {
      id: 'update-with-version',
      given: [configMap('a')],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion', uid: 'metadata.uid' } },
        {
          ask: `PUT ${MAP}`,
          send: configMap({ name: 'a', resourceVersion: '<rv>' }, { data: { k: 'v' } }),
          expect: {
            status: 200,
            body: {
              data: { k: 'v' },
              metadata: { uid: '<uid>', resourceVersion: not('<rv>'), creationTimestamp: present },
            },
          },
        },
        {
          ask: `PUT ${MAP}`,
          send: configMap({ name: 'a', resourceVersion: '<rv>' }, { data: { k: 'w' } }),
          expect: conflict('configmaps', 'a'),
        },
      ],
    },
    {
      id: 'update-without-version',
      given: [configMap('a')],
      steps: [
        {
          ask: `PUT ${MAP}`,
          send: configMap('a', { data: { k: 'v' } }),
          expect: { status: 200, body: { data: { k: 'v' } } },
        },
      ],
    },
    {
      id: 'update-that-changes-nothing',
      given: [configMap('a', { data: { k: 'v' } })],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        {
          ask: `PUT ${MAP}`,
          send: configMap('a', { data: { k: 'v' } }),
          expect: { status: 200, body: { metadata: { resourceVersion: '<rv>' } } },
        },
      ],
    },
    { id: 'update-missing', steps: [{ ask: `PUT ${MAP}`, send: configMap('a'), expect: notFound('configmaps', 'a') }] },
    {
      id: 'update-other-name',
      given: [configMap('a')],
      steps: [
        {
          ask: `PUT ${MAP}`,
          send: configMap('b'),
          expect: refused({
            ...{ code: 400, reason: 'BadRequest' },
            message: 'the name of the object (b) does not match the name on the URL (a)',
          }),
        },
      ],
    },
    {
      id: 'update-other-uid',
      given: [configMap('a')],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { uid: 'metadata.uid' } },
        {
          ask: `PUT ${MAP}`,
          send: configMap({ name: 'a', uid: 'other' }),
          expect: refused({
            ...{ code: 409, reason: 'Conflict' },
            message:
              /^Operation cannot be fulfilled on configmaps "a": .*Precondition failed: UID in precondition: other, UID in object meta: /,
          }),
        },
      ],
    },
    {
      id: 'update-counts-generation',
      given: [deployment('a')],
      steps: [
        {
          ask: 'PUT ~apps/v1/deployments/a',
          send: deployment('a', { replicas: 3 }),
          expect: { status: 200, body: { metadata: { generation: 2 } } },
        },
        {
          ask: 'PUT ~apps/v1/deployments/a',
          send: deployment({ name: 'a', labels: { x: 'y' } }, { replicas: 3 }),
          expect: { status: 200, body: { metadata: { generation: 2 } } },
        },
      ],
    },
    {
      id: 'update-cannot-add-deletion',
      given: [configMap('a')],
      steps: [
        {
          ask: `PUT ${MAP}`,
          send: configMap({ name: 'a', deletionTimestamp: '2020-01-01T00:00:00Z' }),
          expect: refused({
            ...{ code: 422, reason: 'Invalid' },
            message:
              'ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
          }),
        },
      ],
    },
  ]),
  ...chapter('verbs', 'API concepts: dry run', [
    {
      id: 'dry-run-create',
      steps: [
        {
          ask: 'POST ~/configmaps?dryRun=All',
          send: configMap('a'),
          expect: {
            status: 201,
            body: { metadata: { uid: present, creationTimestamp: present, resourceVersion: absent } },
          },
        },
        { ask: `GET ${MAP}`, expect: notFound('configmaps', 'a') },
      ],
    },
    {
      id: 'dry-run-update',
      given: [configMap('a', { data: { k: 'v' } })],
      steps: [
        {
          ask: `PUT ${MAP}?dryRun=All`,
          send: configMap('a', { data: { k: 'w' } }),
          expect: { status: 200, body: { data: { k: 'w' } } },
        },
        {
          ask: `PATCH ${MAP}?dryRun=All`,
          patch: 'merge',
          send: { data: { k: 'x' } },
          expect: { status: 200, body: { data: { k: 'x' } } },
        },
        { ask: `GET ${MAP}`, expect: { status: 200, body: { data: { k: 'v' } } } },
      ],
    },
    {
      id: 'dry-run-delete',
      given: [configMap('a')],
      steps: [
        { ask: `DELETE ${MAP}?dryRun=All`, expect: { status: 200, body: { kind: 'Status', status: 'Success' } } },
        { ask: `DELETE ${MAP}`, send: { dryRun: ['All'] }, expect: { status: 200, body: { status: 'Success' } } },
        { ask: 'DELETE ~/configmaps?dryRun=All', expect: { status: 200 } },
        { ask: `GET ${MAP}`, expect: { status: 200 } },
      ],
    },
    {
      id: 'dry-run-is-checked',
      steps: [
        {
          ask: 'POST ~/configmaps?dryRun=some',
          send: configMap('a'),
          expect: invalid(
            'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["some"]: supported values: "All"',
            ['dryRun', 'FieldValueNotSupported'],
          ),
        },
        { ask: 'POST ~/configmaps?dryRun=All', send: configMap('A'), expect: { status: 422 } },
      ],
    },
  ]),
];
