/** Lists: versions, pages, selectors, tables, metadata alone. */
import { chapter } from '../case.ts';
import { absent, exactly, including, not, present } from '../match.ts';
import { configMap, event, gadget, node, pod, refused, secret } from '../objects.ts';

const names = (...wanted: readonly string[]) => wanted.map((name) => ({ metadata: { name } }));
const list = (query: string, body: object) => ({ ask: `GET ~/configmaps${query}`, expect: { status: 200, body } });
const abc = ['a', 'b', 'c'].map((name) => configMap({ name, labels: { name, half: name < 'b' ? 'first' : 'second' } }));
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };
const METADATA_LIST = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };

const bad = (message: unknown) => refused({ code: 400, reason: 'BadRequest', message });

const selects = (id: string, selector: string, ...wanted: readonly string[]) => ({
  id,
  given: abc,
  steps: [list(`?labelSelector=${encodeURIComponent(selector)}`, { items: names(...wanted) })],
});

/** More changes than a forgetful server remembers. */
const many = Array.from({ length: 30 }, () => ({
  ask: 'POST ~/secrets',
  send: secret({ generateName: 'x-' }),
  expect: { status: 201 },
}));

export const LISTS = [
  ...chapter('lists', 'API concepts: collections', [
    {
      id: 'list-in-order',
      given: [configMap('b'), configMap('a')],
      steps: [
        list('', {
          ...{ kind: 'ConfigMapList', apiVersion: 'v1', items: names('a', 'b') },
          metadata: { resourceVersion: /^\d+$/, continue: absent, remainingItemCount: absent },
        }),
        list('', { items: [{ kind: absent, apiVersion: absent }, {}] }),
      ],
    },
    {
      id: 'list-custom-kind-items-have-types',
      given: [gadget('a', { spec: { size: 1 } })],
      steps: [
        {
          ask: 'GET ~conformance.macfleet.dev/v1/gadgets',
          expect: {
            status: 200,
            body: {
              kind: 'GadgetList',
              apiVersion: 'conformance.macfleet.dev/v1',
              items: [{ kind: 'Gadget', apiVersion: 'conformance.macfleet.dev/v1' }],
            },
          },
        },
      ],
    },
    { id: 'list-empty', steps: [list('', { kind: 'ConfigMapList', items: exactly([]) })] },
    {
      id: 'list-everywhere',
      given: [configMap({ name: 'a', labels: { of: 'list-everywhere' } })],
      steps: [
        {
          ask: 'GET /api/v1/configmaps?labelSelector=of%3Dlist-everywhere',
          expect: { status: 200, body: { items: [{ metadata: { namespace: '<ns>' } }] } },
        },
      ],
    },
  ]),
  ...chapter('lists', 'API concepts: retrieving large results sets in chunks', [
    {
      id: 'list-pages',
      given: abc,
      steps: [
        {
          ...list('?limit=2', { items: names('a', 'b'), metadata: { continue: present, remainingItemCount: 1 } }),
          keep: { token: 'metadata.continue', rv: 'metadata.resourceVersion' },
        },
        { ask: 'POST ~/configmaps', send: configMap('bb'), expect: { status: 201 } },
        { ask: 'DELETE ~/configmaps/c', expect: { status: 200 } },
        list('?limit=2&continue=<token>', {
          items: names('c'),
          metadata: { resourceVersion: '<rv>', continue: absent, remainingItemCount: absent },
        }),
      ],
    },
    {
      id: 'list-pages-with-selector',
      given: abc,
      steps: [
        {
          ...list('?limit=1&labelSelector=half%3Dsecond', {
            items: names('b'),
            metadata: { continue: present, remainingItemCount: absent },
          }),
          keep: { token: 'metadata.continue' },
        },
        list('?limit=1&labelSelector=half%3Dsecond&continue=<token>', { items: names('c') }),
      ],
    },
    {
      id: 'list-limit-of-zero',
      given: abc,
      steps: [list('?limit=0', { items: names('a', 'b', 'c') })],
    },
    {
      id: 'continue-token-nonsense',
      steps: [
        {
          ask: 'GET ~/configmaps?continue=nonsense',
          expect: bad(/^invalid continue token: continue key is not valid: /),
        },
      ],
    },
    {
      id: 'continue-with-version',
      given: abc,
      steps: [
        { ...list('?limit=2', {}), keep: { token: 'metadata.continue' } },
        {
          ask: 'GET ~/configmaps?limit=2&continue=<token>&resourceVersion=5',
          expect: bad('specifying resource version is not allowed when using continue'),
        },
      ],
    },
    {
      id: 'continue-token-expires',
      on: 'forgetful',
      given: abc,
      steps: [
        { ...list('?limit=1', {}), keep: { token: 'metadata.continue' } },
        ...many,
        {
          ask: 'GET ~/configmaps?limit=1&continue=<token>',
          is: 'eventual',
          expect: refused({
            ...{ code: 410, reason: 'Expired' },
            message:
              /^The provided continue parameter is too old to display a consistent list result\. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results\./,
          }),
          keep: { next: 'metadata.continue' },
        },
        list('?limit=2&continue=<next>', { items: names('b', 'c') }),
      ],
    },
  ]),
  ...chapter('lists', 'API concepts: resource versions', [
    {
      id: 'list-exact',
      given: [configMap('a')],
      steps: [
        { ...list('', {}), keep: { rv: 'metadata.resourceVersion' } },
        { ask: 'POST ~/configmaps', send: configMap('b'), expect: { status: 201 } },
        list('?resourceVersion=<rv>&resourceVersionMatch=Exact', {
          items: names('a'),
          metadata: { resourceVersion: '<rv>' },
        }),
        list('?resourceVersion=<rv>&resourceVersionMatch=NotOlderThan', { metadata: { resourceVersion: present } }),
      ],
    },
    {
      id: 'list-exact-zero',
      steps: [
        {
          ask: 'GET ~/configmaps?resourceVersion=0&resourceVersionMatch=Exact',
          expect: refused({
            ...{ code: 422, reason: 'Invalid' },
            message:
              'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
          }),
        },
      ],
    },
    {
      id: 'list-match-without-version',
      steps: [
        {
          ask: 'GET ~/configmaps?resourceVersionMatch=Exact',
          expect: refused({
            ...{ code: 422, reason: 'Invalid' },
            message:
              'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
          }),
        },
      ],
    },
    {
      id: 'list-match-unknown',
      steps: [
        {
          ask: 'GET ~/configmaps?resourceVersion=1&resourceVersionMatch=About',
          expect: { status: 422, body: { message: /resourceVersionMatch: Unsupported value: "About"/ } },
        },
      ],
    },
    {
      id: 'list-version-nonsense',
      steps: [
        {
          ask: 'GET ~/configmaps?resourceVersion=abc',
          expect: bad(/^invalid resource version: resourceVersion: Invalid value: "abc"/),
        },
      ],
    },
    {
      id: 'list-future-version',
      steps: [
        {
          ask: 'GET ~/configmaps?resourceVersion=99999999',
          expect: refused({
            code: 504,
            reason: 'Timeout',
            message: /^Timeout: Too large resource version: 99999999, current: \d+$/,
          }),
        },
      ],
    },
    {
      id: 'list-exact-forgotten',
      on: 'forgetful',
      given: [configMap('a')],
      steps: [
        { ...list('', {}), keep: { rv: 'metadata.resourceVersion' } },
        ...many,
        {
          ask: 'GET ~/configmaps?resourceVersion=<rv>&resourceVersionMatch=Exact',
          is: 'eventual',
          expect: refused({
            code: 410,
            reason: 'Expired',
            message: /^The resourceVersion for the provided list is too old\.$/,
          }),
        },
      ],
    },
  ]),
  ...chapter('lists', 'Labels and selectors', [
    selects('labels-equal', 'name=a', 'a'),
    selects('labels-double-equal', 'name==a', 'a'),
    selects('labels-unequal', 'name!=a', 'b', 'c'),
    selects('labels-in', 'name in (a, c)', 'a', 'c'),
    selects('labels-notin', 'name notin (a,c)', 'b'),
    selects('labels-exist', 'half', 'a', 'b', 'c'),
    selects('labels-not-exist', '!half'),
    selects('labels-all-of', 'half=second,name!=c', 'b'),
    selects('labels-greater', 'name>3'),
    {
      id: 'labels-nonsense',
      steps: [
        {
          ask: 'GET ~/configmaps?labelSelector=a%20in%20b',
          expect: bad(/^unable to parse requirement: found 'b' expected: '\('$/),
        },
        { ask: 'GET ~/configmaps?labelSelector=%2F%3Da', expect: bad(/^unable to parse requirement: /) },
      ],
    },
  ]),
  ...chapter('lists', 'Field selectors', [
    { id: 'fields-name', given: abc, steps: [list('?fieldSelector=metadata.name%3Db', { items: names('b') })] },
    {
      id: 'fields-name-unequal',
      given: abc,
      steps: [list('?fieldSelector=metadata.name!%3Db', { items: names('a', 'c') })],
    },
    {
      id: 'fields-unknown',
      steps: [
        {
          ask: 'GET ~/configmaps?fieldSelector=data.x%3Dy',
          expect: bad('"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
        },
      ],
    },
    {
      id: 'fields-of-pods',
      given: [pod('a', { nodeName: 'n' }), pod('b', { restartPolicy: 'Never' })],
      steps: [
        { ask: 'GET ~/pods?fieldSelector=spec.nodeName%3Dn', expect: { status: 200, body: { items: names('a') } } },
        { ask: 'GET ~/pods?fieldSelector=spec.nodeName%3D', expect: { status: 200, body: { items: names('b') } } },
        {
          ask: 'GET ~/pods?fieldSelector=status.phase%3DPending,spec.restartPolicy%3DNever',
          expect: { status: 200, body: { items: names('b') } },
        },
        {
          ask: 'GET ~/pods?fieldSelector=spec.hostname%3Dx',
          expect: bad(/field label not supported: spec\.hostname$/),
        },
      ],
    },
    {
      id: 'fields-of-events',
      given: [
        event('a', {
          involvedObject: { kind: 'Pod', name: 'p', namespace: 'fields-of-events' },
          reason: 'Started',
          type: 'Normal',
        }),
        event('b', {
          involvedObject: { kind: 'Pod', name: 'q', namespace: 'fields-of-events' },
          reason: 'Failed',
          type: 'Warning',
        }),
      ],
      steps: [
        {
          ask: 'GET ~/events?fieldSelector=involvedObject.name%3Dp,involvedObject.kind%3DPod',
          expect: { status: 200, body: { items: names('a') } },
        },
        { ask: 'GET ~/events?fieldSelector=type%3DWarning', expect: { status: 200, body: { items: names('b') } } },
      ],
    },
    {
      id: 'fields-of-secrets-and-nodes',
      given: [
        secret('a', { type: 'example.org/x' }),
        secret('b'),
        node({ name: 'fields-n', labels: { of: 'fields' } }, { spec: { unschedulable: true } }),
      ],
      steps: [
        {
          ask: 'GET ~/secrets?fieldSelector=type%3Dexample.org/x',
          expect: { status: 200, body: { items: names('a') } },
        },
        {
          ask: 'GET /api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue&labelSelector=of%3Dfields',
          expect: { status: 200, body: { items: names('fields-n') } },
        },
      ],
    },
    {
      id: 'fields-of-custom-kinds',
      given: [gadget('a', { spec: { size: 1, color: 'blue' } }), gadget('b', { spec: { size: 1 } })],
      steps: [
        {
          ask: 'GET ~conformance.macfleet.dev/v1/gadgets?fieldSelector=spec.color%3Dblue',
          expect: { status: 200, body: { items: names('a') } },
        },
        {
          ask: 'GET ~conformance.macfleet.dev/v1/gadgets?fieldSelector=spec.size%3D1',
          expect: bad(/field label not supported: spec\.size$/),
        },
      ],
    },
  ]),
  ...chapter('lists', 'API concepts: receiving resources as Tables', [
    {
      id: 'table-of-pods',
      given: [pod('a')],
      steps: [
        {
          ask: 'GET ~/pods',
          headers: TABLE,
          expect: {
            status: 200,
            body: {
              ...{ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: present } },
              columnDefinitions: [
                { name: 'Name', type: 'string', format: 'name', priority: 0 },
                { name: 'Ready' },
                { name: 'Status' },
                { name: 'Restarts' },
                { name: 'Age' },
                { name: 'IP', priority: 1 },
                { name: 'Node', priority: 1 },
                { name: 'Nominated Node', priority: 1 },
                { name: 'Readiness Gates', priority: 1 },
              ],
              rows: [
                {
                  cells: ['a', '0/1', 'Pending', present, /^\d+s$/, '<none>', '<none>', '<none>', '<none>'],
                  object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } },
                },
              ],
            },
          },
        },
      ],
    },
    {
      id: 'table-include-object',
      given: [configMap('a', { data: { x: '1', y: '2' } })],
      steps: [
        {
          ask: 'GET ~/configmaps?includeObject=Object',
          headers: TABLE,
          expect: {
            status: 200,
            body: { rows: [{ cells: ['a', 2, present], object: { kind: 'ConfigMap', data: { x: '1' } } }] },
          },
        },
        {
          ask: 'GET ~/configmaps?includeObject=None',
          headers: TABLE,
          expect: { status: 200, body: { rows: [{ object: not({ metadata: present }) }] } },
        },
        { ask: 'GET ~/configmaps?includeObject=Some', headers: TABLE, expect: { status: 400 } },
      ],
    },
    {
      id: 'table-of-one',
      given: [gadget('a', { spec: { size: 3 } })],
      steps: [
        {
          ask: 'GET ~conformance.macfleet.dev/v1/gadgets/a',
          headers: TABLE,
          expect: {
            status: 200,
            body: {
              kind: 'Table',
              columnDefinitions: [
                { name: 'Name', format: 'name' },
                { name: 'Size', type: 'integer', priority: 0, description: 'How large' },
                { name: 'Color', type: 'string', priority: 1 },
                { name: 'Age', type: 'date' },
              ],
              rows: [{ cells: ['a', 3, 'red', /^\d+s$/] }],
            },
          },
        },
      ],
    },
    {
      id: 'table-of-deployments',
      steps: [
        {
          ask: 'GET ~apps/v1/deployments',
          headers: TABLE,
          expect: {
            status: 200,
            body: {
              columnDefinitions: [
                'Name',
                'Ready',
                'Up-to-date',
                'Available',
                'Age',
                'Containers',
                'Images',
                'Selector',
              ].map((name) => ({ name })),
              rows: not([{}]),
            },
          },
        },
      ],
    },
    {
      id: 'table-of-nodes',
      given: [node({ name: 'table-n', labels: { 'node-role.kubernetes.io/mac': '' } })],
      steps: [
        {
          ask: 'GET /api/v1/nodes/table-n',
          headers: TABLE,
          expect: {
            status: 200,
            body: {
              columnDefinitions: [
                'Name',
                'Status',
                'Roles',
                'Age',
                'Version',
                'Internal-IP',
                'External-IP',
                'OS-Image',
                'Kernel-Version',
                'Container-Runtime',
              ].map((name) => ({ name })),
              rows: [{ cells: including('table-n', 'Unknown', 'mac') }],
            },
          },
        },
      ],
    },
    {
      id: 'table-other-version-refused',
      steps: [
        {
          ask: 'GET ~/configmaps',
          headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' },
          expect: { status: 406, body: { reason: 'NotAcceptable' } },
        },
      ],
    },
  ]),
  ...chapter('lists', 'API concepts: metadata only', [
    {
      id: 'metadata-of-one',
      given: [configMap('a', { data: { x: '1' } })],
      steps: [
        {
          ask: 'GET ~/configmaps/a',
          headers: METADATA,
          expect: {
            status: 200,
            body: {
              kind: 'PartialObjectMetadata',
              apiVersion: 'meta.k8s.io/v1',
              metadata: { name: 'a', uid: present },
              data: absent,
            },
          },
        },
      ],
    },
    {
      id: 'metadata-of-many',
      given: [configMap('a', { data: { x: '1' } })],
      steps: [
        {
          ask: 'GET ~/configmaps',
          headers: METADATA_LIST,
          expect: {
            status: 200,
            body: {
              kind: 'PartialObjectMetadataList',
              metadata: { resourceVersion: present },
              items: [{ metadata: { name: 'a' }, data: absent }],
            },
          },
        },
      ],
    },
    {
      id: 'metadata-custom-kind',
      given: [gadget('a', { spec: { size: 1 } })],
      steps: [
        {
          ask: 'GET ~conformance.macfleet.dev/v1/gadgets',
          headers: METADATA_LIST,
          expect: { status: 200, body: { kind: 'PartialObjectMetadataList', items: [{ spec: absent }] } },
        },
      ],
    },
  ]),
];
