/** Watches: events, selectors, bookmarks, initial events, versions, ends. */
import { chapter } from '../case.ts';
import { absent, not, present } from '../match.ts';
import { configMap, gadget, pod, secret } from '../objects.ts';

const MAPS = '~/configmaps';
const create = (name: string, labels: object = {}) => ({
  ask: `POST ${MAPS}`,
  send: configMap({ name, labels }),
  expect: { status: 201 },
});
const label = (name: string, labels: object) => ({
  ask: `PATCH ${MAPS}/${name}`,
  patch: 'merge' as const,
  send: { metadata: { labels } },
  expect: { status: 200 },
});
const remove = (name: string) => ({ ask: `DELETE ${MAPS}/${name}`, expect: { status: 200 } });
const seen = (type: string, name: string) => ({
  type,
  object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } },
});
const here = { ask: `GET ${MAPS}`, expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } };

const many = Array.from({ length: 30 }, () => ({
  ask: 'POST ~/secrets',
  send: secret({ generateName: 'x-' }),
  expect: { status: 201 },
}));

const gone = {
  type: 'ERROR',
  object: { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: /^too old resource version: / },
};

const INITIAL_END = { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } };

export const WATCHES = [
  ...chapter('watch', 'API concepts: efficient detection of changes', [
    {
      id: 'watch-from-a-version',
      given: [configMap('old')],
      steps: [
        here,
        {
          watch: `${MAPS}?watch=1&resourceVersion=<rv>`,
          meanwhile: [create('a'), label('a', { x: 'y' }), remove('a')],
          lines: [seen('ADDED', 'a'), seen('MODIFIED', 'a'), seen('DELETED', 'a')],
        },
      ],
    },
    {
      id: 'watch-from-nothing',
      given: [configMap('old')],
      steps: [
        { watch: `${MAPS}?watch=true`, meanwhile: [create('a')], lines: [seen('ADDED', 'old'), seen('ADDED', 'a')] },
      ],
    },
    {
      id: 'watch-from-zero',
      given: [configMap('old')],
      steps: [
        {
          watch: `${MAPS}?watch=1&resourceVersion=0`,
          meanwhile: [create('a')],
          lines: [seen('ADDED', 'old'), seen('ADDED', 'a')],
        },
      ],
    },
    {
      id: 'watch-resumes',
      steps: [
        here,
        { ...create('a'), keep: { mid: 'metadata.resourceVersion' } },
        create('b'),
        { watch: `${MAPS}?watch=1&resourceVersion=<rv>`, lines: [seen('ADDED', 'a'), seen('ADDED', 'b')] },
        { watch: `${MAPS}?watch=1&resourceVersion=<mid>`, lines: [seen('ADDED', 'b')] },
      ],
    },
    {
      id: 'watch-deleted-has-the-deletion-version',
      given: [configMap('a')],
      steps: [
        { ask: `GET ${MAPS}/a`, expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        remove('a'),
        {
          watch: `${MAPS}?watch=1&resourceVersion=<rv>`,
          lines: [{ type: 'DELETED', object: { metadata: { name: 'a', resourceVersion: not('<rv>') } } }],
        },
      ],
    },
    {
      id: 'watch-one-by-name',
      given: [configMap('a'), configMap('b')],
      steps: [
        here,
        {
          watch: `${MAPS}?watch=1&fieldSelector=metadata.name%3Db&resourceVersion=<rv>`,
          meanwhile: [label('a', { x: '1' }), label('b', { x: '1' })],
          lines: [seen('MODIFIED', 'b')],
        },
      ],
    },
    {
      id: 'watch-selector-comes-and-goes',
      given: [configMap('a')],
      steps: [
        here,
        {
          watch: `${MAPS}?watch=1&labelSelector=in%3Dyes&resourceVersion=<rv>`,
          meanwhile: [
            label('a', { in: 'yes' }),
            label('a', { more: '1' }),
            label('a', { in: 'no' }),
            label('a', { in: 'yes' }),
          ],
          lines: [
            seen('ADDED', 'a'),
            seen('MODIFIED', 'a'),
            { type: 'DELETED', object: { metadata: { name: 'a', labels: { in: 'yes', more: '1' } } } },
            seen('ADDED', 'a'),
          ],
        },
      ],
    },
    {
      id: 'watch-field-selector-comes-and-goes',
      given: [pod('a')],
      steps: [
        { ask: 'GET ~/pods', expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        {
          watch: '~/pods?watch=1&fieldSelector=spec.nodeName%3Dn1&resourceVersion=<rv>',
          meanwhile: [
            {
              ask: 'POST ~/pods/a/binding',
              send: {
                apiVersion: 'v1',
                kind: 'Binding',
                metadata: { name: 'a' },
                target: { kind: 'Node', name: 'n1' },
              },
              expect: { status: 201 },
            },
          ],
          lines: [{ type: 'ADDED', object: { metadata: { name: 'a' }, spec: { nodeName: 'n1' } } }],
        },
      ],
    },
    {
      id: 'watch-custom-kind',
      steps: [
        {
          ask: 'GET ~conformance.macfleet.dev/v1/gadgets',
          expect: { status: 200 },
          keep: { rv: 'metadata.resourceVersion' },
        },
        {
          watch: '~conformance.macfleet.dev/v1/gadgets?watch=1&resourceVersion=<rv>',
          meanwhile: [
            {
              ask: 'POST ~conformance.macfleet.dev/v1/gadgets',
              send: gadget('a', { spec: { size: 1 } }),
              expect: { status: 201 },
            },
          ],
          lines: [{ type: 'ADDED', object: { kind: 'Gadget', spec: { color: 'red' } } }],
        },
      ],
    },
    {
      id: 'watch-old-path',
      given: [configMap('a')],
      steps: [{ watch: '/api/v1/watch/namespaces/<ns>/configmaps', lines: [seen('ADDED', 'a')] }],
    },
    {
      id: 'watch-timeout',
      given: [configMap('a')],
      steps: [{ watch: `${MAPS}?watch=1&timeoutSeconds=1`, lines: [seen('ADDED', 'a')], ends: 'by itself' }],
    },
    {
      id: 'watch-not-of-a-dry-run',
      steps: [
        here,
        {
          watch: `${MAPS}?watch=1&resourceVersion=<rv>`,
          meanwhile: [
            { ask: `POST ${MAPS}?dryRun=All`, send: configMap('dry'), expect: { status: 201 } },
            create('wet'),
          ],
          lines: [seen('ADDED', 'wet')],
        },
      ],
    },
    {
      id: 'watch-not-of-nothing-changed',
      given: [configMap({ name: 'a', labels: { x: 'y' } })],
      steps: [
        here,
        {
          watch: `${MAPS}?watch=1&resourceVersion=<rv>`,
          meanwhile: [label('a', { x: 'y' }), label('a', { x: 'z' })],
          lines: [{ type: 'MODIFIED', object: { metadata: { labels: { x: 'z' } } } }],
        },
      ],
    },
    {
      id: 'watch-grace-then-gone',
      given: [pod('a', { nodeName: 'n' })],
      steps: [
        { ask: 'GET ~/pods', expect: { status: 200 }, keep: { rv: 'metadata.resourceVersion' } },
        {
          watch: '~/pods?watch=1&resourceVersion=<rv>',
          meanwhile: [
            { ask: 'DELETE ~/pods/a', expect: { status: 200 } },
            { ask: 'DELETE ~/pods/a?gracePeriodSeconds=0', expect: { status: 200 } },
          ],
          lines: [
            { type: 'MODIFIED', object: { metadata: { deletionGracePeriodSeconds: 30 } } },
            { type: 'MODIFIED', object: { metadata: { deletionGracePeriodSeconds: 0 } } },
            { type: 'DELETED', object: { metadata: { name: 'a', deletionTimestamp: present } } },
          ],
        },
      ],
    },
  ]),
  ...chapter('watch', 'API concepts: 410 Gone responses', [
    {
      id: 'watch-too-old',
      on: 'forgetful',
      steps: [
        ...many,
        { watch: '~conformance.macfleet.dev/v1/gadgets?watch=1&resourceVersion=1', lines: [gone], ends: 'by itself' },
      ],
    },
    {
      id: 'watch-version-nonsense',
      steps: [
        {
          ask: `GET ${MAPS}?watch=1&resourceVersion=abc`,
          expect: { status: 500, body: { message: /^resourceVersion: Invalid value: "abc"/ } },
        },
      ],
    },
    {
      id: 'watch-waits-for-a-future-version',
      steps: [
        {
          watch: `${MAPS}?watch=1&resourceVersion=99999999&timeoutSeconds=1`,
          meanwhile: [create('a')],
          lines: [],
          ends: 'by itself',
        },
      ],
    },
  ]),
  ...chapter('watch', 'API concepts: streaming lists', [
    {
      id: 'initial-events',
      given: [configMap('a'), configMap('b')],
      steps: [
        {
          watch: `${MAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
          meanwhile: [],
          lines: [
            seen('ADDED', 'a'),
            seen('ADDED', 'b'),
            { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', ...INITIAL_END } },
          ],
        },
      ],
    },
    {
      id: 'initial-events-not-older',
      given: [configMap('a')],
      steps: [
        here,
        {
          watch: `${MAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=<rv>`,
          lines: [seen('ADDED', 'a'), { type: 'BOOKMARK', object: { metadata: { resourceVersion: /^\d+$/ } } }],
        },
      ],
    },
    {
      id: 'initial-events-of-nothing',
      steps: [
        {
          watch: `${MAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
          meanwhile: [],
          lines: [{ type: 'BOOKMARK', object: INITIAL_END }],
        },
      ],
    },
    {
      id: 'initial-events-not-wanted',
      given: [configMap('a')],
      steps: [
        {
          watch: `${MAPS}?watch=1&sendInitialEvents=false&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
          meanwhile: [create('b')],
          lines: [seen('ADDED', 'b')],
        },
      ],
    },
    {
      id: 'initial-events-need-match',
      steps: [
        {
          ask: `GET ${MAPS}?watch=1&sendInitialEvents=true`,
          expect: {
            status: 422,
            body: { message: /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/ },
          },
        },
      ],
    },
    {
      id: 'initial-events-not-for-lists',
      steps: [
        {
          ask: `GET ${MAPS}?sendInitialEvents=true`,
          expect: {
            status: 422,
            body: { message: /sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list/ },
          },
        },
      ],
    },
  ]),
  ...chapter('watch', 'API concepts: receiving resources as Tables', [
    {
      id: 'watch-as-table',
      given: [configMap('a')],
      steps: [
        {
          watch: `${MAPS}?watch=1`,
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
          meanwhile: [create('b')],
          lines: [
            {
              type: 'ADDED',
              object: {
                kind: 'Table',
                columnDefinitions: [{ name: 'Name' }, {}, {}],
                rows: [{ cells: ['a', 0, present] }],
              },
            },
            { type: 'ADDED', object: { kind: 'Table', columnDefinitions: null, rows: [{ cells: ['b', 0, present] }] } },
          ],
        },
      ],
    },
    {
      id: 'watch-as-metadata',
      given: [configMap('a', { data: { k: 'v' } })],
      steps: [
        {
          watch: `${MAPS}?watch=1`,
          headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
          lines: [{ type: 'ADDED', object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' }, data: absent } }],
        },
      ],
    },
  ]),
];
