/** The three patch types that change what is there: merge, JSON, strategic merge. */
import { chapter } from '../case.ts';
import { absent, exactly, including, not } from '../match.ts';
import { configMap, deployment, gadget, invalid, notFound, pod, refused } from '../objects.ts';

const MAP = '~/configmaps/a';
const DEPLOYMENT = '~apps/v1/deployments/a';
const GADGET = '~conformance.macfleet.dev/v1/gadgets/a';

const two = deployment('a', {
  template: {
    metadata: { labels: { app: 'a' } },
    spec: {
      containers: [
        { name: 'one', image: 'i1', env: [{ name: 'A', value: '1' }] },
        { name: 'two', image: 'i2' },
      ],
    },
  },
});
const containersOf = (containers: unknown) => ({ spec: { template: { spec: { containers } } } });

export const PATCHES = [
  ...chapter('patch', 'API concepts: JSON merge patch', [
    {
      id: 'merge-sets-and-removes',
      given: [configMap('a', { data: { keep: '1', drop: '2' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { data: { drop: null, add: '3' } },
          expect: { status: 200, body: { data: exactly({ keep: '1', add: '3' }) } },
        },
      ],
    },
    {
      id: 'merge-replaces-lists',
      given: [two],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'merge',
          send: containersOf([{ name: 'three', image: 'i3' }]),
          expect: { status: 200, body: containersOf([{ name: 'three' }]) },
        },
      ],
    },
    {
      id: 'merge-that-changes-nothing',
      given: [configMap('a', { data: { k: 'v' } })],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { data: { k: 'v' } },
          expect: { status: 200, body: { metadata: { resourceVersion: '<rv>' } } },
        },
      ],
    },
    {
      id: 'merge-with-version',
      given: [configMap('a')],
      steps: [
        { ask: `GET ${MAP}`, expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { metadata: { resourceVersion: '<rv>' }, data: { k: 'v' } },
          expect: { status: 200, body: { metadata: { resourceVersion: not('<rv>') } } },
        },
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { metadata: { resourceVersion: '<rv>' }, data: { k: 'w' } },
          expect: refused({
            ...{ code: 409, reason: 'Conflict', details: { name: 'a', kind: 'configmaps' } },
            message:
              'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
          }),
        },
      ],
    },
    {
      id: 'merge-missing',
      steps: [{ ask: `PATCH ${MAP}`, patch: 'merge', send: {}, expect: notFound('configmaps', 'a') }],
    },
    {
      id: 'merge-not-json',
      given: [configMap('a')],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: '{"data":',
          expect: { status: 400, body: { reason: 'BadRequest' } },
        },
      ],
    },
    {
      id: 'merge-cannot-rename',
      given: [configMap('a')],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { metadata: { name: 'b' } },
          expect: refused({
            ...{ code: 400, reason: 'BadRequest' },
            message: 'the name of the object (b) does not match the name on the URL (a)',
          }),
        },
      ],
    },
    {
      id: 'merge-wrong-type',
      given: [configMap('a')],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { data: { k: 7 } },
          expect: { status: 422, body: { reason: 'Invalid' } },
        },
      ],
    },
    {
      id: 'merge-custom-kind',
      given: [gadget('a', { spec: { size: 1, labels: { x: '1', y: '2' } } })],
      steps: [
        {
          ask: `PATCH ${GADGET}`,
          patch: 'merge',
          send: { spec: { size: 2, labels: { x: null } } },
          expect: {
            status: 200,
            body: { metadata: { generation: 2 }, spec: exactly({ size: 2, color: 'red', labels: { y: '2' } }) },
          },
        },
      ],
    },
    {
      id: 'merge-null-gets-default-again',
      given: [gadget('a', { spec: { size: 1, color: 'blue' } })],
      steps: [
        {
          ask: `PATCH ${GADGET}`,
          patch: 'merge',
          send: { spec: { color: null } },
          expect: { status: 200, body: { spec: { color: 'red' } } },
        },
      ],
    },
  ]),
  ...chapter('patch', 'API concepts: JSON patch', [
    {
      id: 'json-all-operations',
      given: [configMap('a', { data: { a: '1', b: '2', c: '3', d: '4' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [
            { op: 'test', path: '/data/a', value: '1' },
            { op: 'replace', path: '/data/a', value: 'one' },
            { op: 'remove', path: '/data/b' },
            { op: 'add', path: '/data/e', value: '5' },
            { op: 'copy', from: '/data/c', path: '/data/f' },
            { op: 'move', from: '/data/d', path: '/data/g' },
          ],
          expect: { status: 200, body: { data: exactly({ a: 'one', c: '3', e: '5', f: '3', g: '4' }) } },
        },
      ],
    },
    {
      id: 'json-test-fails',
      given: [configMap('a', { data: { a: '1' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [{ op: 'test', path: '/data/a', value: '2' }],
          expect: refused({
            code: 422,
            reason: 'Invalid',
            message: /^the server rejected our request due to an error in our request$/,
          }),
        },
      ],
    },
    {
      id: 'json-missing-path',
      given: [configMap('a', { data: { a: '1' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [{ op: 'replace', path: '/data/z', value: '2' }],
          expect: { status: 200, body: { data: { z: '2' } } },
        },
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [{ op: 'add', path: '/nope/z', value: '2' }],
          expect: { status: 422 },
        },
      ],
    },
    {
      id: 'json-remove-missing',
      given: [configMap('a', { data: { a: '1' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [{ op: 'remove', path: '/data/z' }],
          expect: { status: 422, body: { reason: 'Invalid' } },
        },
      ],
    },
    {
      id: 'json-list-positions',
      given: [gadget('a', { spec: { size: 1, words: ['x', 'y'] } })],
      steps: [
        {
          ask: `PATCH ${GADGET}`,
          patch: 'json',
          send: [
            { op: 'add', path: '/spec/words/-', value: 'z' },
            { op: 'remove', path: '/spec/words/0' },
            { op: 'add', path: '/spec/words/0', value: 'w' },
          ],
          expect: { status: 200, body: { spec: { words: ['w', 'y', 'z'] } } },
        },
      ],
    },
    {
      id: 'json-escaped-names',
      given: [configMap({ name: 'a', annotations: { 'x/y': '1' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [{ op: 'replace', path: '/metadata/annotations/x~1y', value: '2' }],
          expect: { status: 200, body: { metadata: { annotations: { 'x/y': '2' } } } },
        },
      ],
    },
    {
      id: 'json-not-a-list',
      given: [configMap('a')],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: { op: 'remove' },
          expect: { status: 400, body: { reason: 'BadRequest' } },
        },
      ],
    },
    {
      id: 'json-version-test',
      given: [configMap('a')],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'json',
          send: [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }],
          expect: { status: 409, body: { reason: 'Conflict' } },
        },
      ],
    },
  ]),
  ...chapter('patch', 'API concepts: strategic merge patch', [
    {
      id: 'strategic-merges-by-key',
      given: [two],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'strategic',
          send: containersOf([{ name: 'two', image: 'new' }]),
          expect: {
            status: 200,
            body: containersOf(including({ name: 'one', image: 'i1' }, { name: 'two', image: 'new' })),
          },
        },
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'strategic',
          send: containersOf([{ name: 'one', env: [{ name: 'B', value: '2' }] }]),
          expect: {
            status: 200,
            body: containersOf(including({ name: 'one', env: including({ name: 'A' }, { name: 'B' }) })),
          },
        },
      ],
    },
    {
      id: 'strategic-delete-directive',
      given: [two],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'strategic',
          send: containersOf([{ name: 'two', $patch: 'delete' }]),
          expect: { status: 200, body: containersOf([{ name: 'one' }]) },
        },
      ],
    },
    {
      id: 'strategic-replace-directive',
      given: [two],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'strategic',
          send: containersOf([{ $patch: 'replace' }, { name: 'three', image: 'i3' }]),
          expect: { status: 200, body: containersOf([{ name: 'three' }]) },
        },
      ],
    },
    {
      id: 'strategic-retain-keys',
      given: [deployment('a', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } })],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'strategic',
          send: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
          expect: { status: 200, body: { spec: { strategy: exactly({ type: 'Recreate' }) } } },
        },
      ],
    },
    {
      id: 'strategic-primitive-lists',
      given: [configMap({ name: 'a', finalizers: ['x.org/a', 'x.org/b'] })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'strategic',
          send: { metadata: { finalizers: ['x.org/c'] } },
          expect: { status: 200, body: { metadata: { finalizers: including('x.org/a', 'x.org/b', 'x.org/c') } } },
        },
        {
          ask: `PATCH ${MAP}`,
          patch: 'strategic',
          send: { metadata: { '$deleteFromPrimitiveList/finalizers': ['x.org/a'] } },
          expect: { status: 200, body: { metadata: { finalizers: not(including('x.org/a')) } } },
        },
      ],
    },
    {
      id: 'strategic-null-removes',
      given: [configMap('a', { data: { a: '1', b: '2' } })],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'strategic',
          send: { data: { a: null } },
          expect: { status: 200, body: { data: exactly({ b: '2' }) } },
        },
      ],
    },
    {
      id: 'strategic-conditions-by-type',
      given: [pod('a')],
      steps: [
        {
          ask: 'PATCH ~/pods/a/status',
          patch: 'strategic',
          send: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
          expect: { status: 200 },
        },
        {
          ask: 'PATCH ~/pods/a/status',
          patch: 'strategic',
          send: { status: { conditions: [{ type: 'Initialized', status: 'True' }] } },
          expect: {
            status: 200,
            body: { status: { conditions: including({ type: 'Ready' }, { type: 'Initialized' }) } },
          },
        },
      ],
    },
    {
      id: 'strategic-not-for-custom-kinds',
      given: [gadget('a', { spec: { size: 1 } })],
      steps: [
        {
          ask: `PATCH ${GADGET}`,
          patch: 'strategic',
          send: { spec: { size: 2 } },
          expect: refused({
            ...{ code: 415, reason: 'UnsupportedMediaType' },
            message:
              'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
          }),
        },
      ],
    },
    {
      id: 'patch-type-unknown',
      given: [configMap('a')],
      steps: [
        {
          ask: `PATCH ${MAP}`,
          headers: { 'content-type': 'application/json' },
          send: { data: {} },
          expect: refused({
            ...{ code: 415, reason: 'UnsupportedMediaType' },
            message: '415: Unsupported Media Type',
          }),
        },
      ],
    },
    {
      id: 'patch-is-validated',
      given: [deployment('a')],
      steps: [
        {
          ask: `PATCH ${DEPLOYMENT}`,
          patch: 'merge',
          send: { spec: { replicas: -1 } },
          expect: invalid(
            'Deployment.apps "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
            ['spec.replicas', 'FieldValueInvalid', 'Invalid value: -1: must be greater than or equal to 0'],
          ),
        },
        {
          ask: `GET ${DEPLOYMENT}`,
          expect: { status: 200, body: { spec: { replicas: 1 }, status: { replicas: absent } } },
        },
      ],
    },
  ]),
];
