/** Server-side apply: who owns which field, conflicts, force, removal, list types, subresources. */
import { chapter } from '../case.ts';
import { absent, exactly, including } from '../match.ts';
import { configMap, deployment, gadget, refused } from '../objects.ts';

const MAP = '~/configmaps/a';
const GADGET = '~conformance.macfleet.dev/v1/gadgets/a';
const apply = (path: string, manager: string, send: unknown, expect: object, options = '') => ({
  ask: `PATCH ${path}?fieldManager=${manager}${options}`,
  patch: 'apply' as const,
  send,
  expect: { status: 200, ...expect },
});

const entry = (manager: string, operation: string, fields: unknown, more: object = {}) => ({
  ...{ manager, operation, fieldsType: 'FieldsV1', fieldsV1: fields, ...more },
});

export const APPLY = [
  ...chapter('patch', 'Server-side apply: ownership', [
    {
      id: 'apply-creates',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), {
          status: 201,
          body: {
            data: { k: 'v' },
            metadata: {
              managedFields: [
                entry('m1', 'Apply', exactly({ 'f:data': { 'f:k': {} } }), { apiVersion: 'v1', subresource: absent }),
              ],
            },
          },
        }),
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { body: { data: { k: 'v' } } }),
      ],
    },
    {
      id: 'apply-twice-changes-nothing',
      steps: [
        {
          ...apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { status: 201 }),
          keep: { rv: 'metadata.resourceVersion' },
        },
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { body: { metadata: { resourceVersion: '<rv>' } } }),
      ],
    },
    {
      id: 'apply-conflict',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { status: 201 }),
        apply(
          MAP,
          'm2',
          configMap('a', { data: { k: 'w' } }),
          refused({
            ...{ code: 409, reason: 'Conflict', message: 'Apply failed with 1 conflict: conflict with "m1": .data.k' },
            details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.k' }] },
          }),
        ),
      ],
    },
    {
      id: 'apply-conflicts-listed',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v', l: 'v' } }), { status: 201 }),
        apply(
          MAP,
          'm2',
          configMap('a', { data: { k: 'w', l: 'w' } }),
          refused({
            ...{ code: 409, reason: 'Conflict' },
            message: 'Apply failed with 2 conflicts: conflicts with "m1":\n- .data.k\n- .data.l',
          }),
        ),
      ],
    },
    {
      id: 'apply-conflict-with-an-update',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldManager=writer',
          send: configMap('a', { data: { k: 'v' } }),
          expect: {
            status: 201,
            body: { metadata: { managedFields: [entry('writer', 'Update', { 'f:data': { '.': {}, 'f:k': {} } })] } },
          },
        },
        apply(
          MAP,
          'm2',
          configMap('a', { data: { k: 'w' } }),
          refused({
            ...{ code: 409, reason: 'Conflict' },
            message: /^Apply failed with 1 conflict: conflict with "writer" using v1: \.data\.k$/,
          }),
        ),
      ],
    },
    {
      id: 'apply-force',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v', l: 'v' } }), { status: 201 }),
        apply(
          MAP,
          'm2',
          configMap('a', { data: { k: 'w' } }),
          {
            body: {
              data: { k: 'w', l: 'v' },
              metadata: {
                managedFields: including(
                  entry('m1', 'Apply', exactly({ 'f:data': { 'f:l': {} } })),
                  entry('m2', 'Apply', exactly({ 'f:data': { 'f:k': {} } })),
                ),
              },
            },
          },
          '&force=true',
        ),
      ],
    },
    {
      id: 'apply-same-value-shares',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { status: 201 }),
        apply(MAP, 'm2', configMap('a', { data: { k: 'v' } }), {
          body: { metadata: { managedFields: including({ manager: 'm1' }, { manager: 'm2' }) } },
        }),
        apply(MAP, 'm1', configMap('a'), { body: { data: { k: 'v' } } }),
        apply(MAP, 'm2', configMap('a'), { body: { data: absent } }),
      ],
    },
    {
      id: 'apply-removes-what-is-left-out',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v', l: 'v' } }), { status: 201 }),
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { body: { data: exactly({ k: 'v' }) } }),
      ],
    },
    {
      id: 'apply-keeps-what-others-set',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { status: 201 }),
        { ask: `PATCH ${MAP}?fieldManager=m2`, patch: 'merge', send: { data: { l: 'w' } }, expect: { status: 200 } },
        apply(MAP, 'm1', configMap('a', { data: { k: 'v2' } }), { body: { data: exactly({ k: 'v2', l: 'w' }) } }),
      ],
    },
    {
      id: 'apply-an-update-takes-ownership',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { status: 201 }),
        {
          ask: `PATCH ${MAP}?fieldManager=m2`,
          patch: 'merge',
          send: { data: { k: 'w' } },
          expect: {
            status: 200,
            body: { metadata: { managedFields: [entry('m2', 'Update', { 'f:data': { 'f:k': {} } })] } },
          },
        },
      ],
    },
    {
      id: 'apply-needs-a-manager',
      steps: [
        {
          ask: `PATCH ${MAP}`,
          patch: 'apply',
          send: configMap('a'),
          expect: refused({
            ...{ code: 422, reason: 'Invalid' },
            message:
              'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
          }),
        },
      ],
    },
    {
      id: 'apply-needs-a-type',
      steps: [
        apply(MAP, 'm1', { metadata: { name: 'a' } }, { status: 400, body: { reason: 'BadRequest' } }),
        apply(MAP, 'm1', { apiVersion: 'v1', kind: 'ConfigMap' }, { status: 400, body: { reason: 'BadRequest' } }),
      ].slice(0, 1),
    },
    {
      id: 'apply-refuses-managed-fields',
      steps: [
        apply(
          MAP,
          'm1',
          configMap({
            name: 'a',
            managedFields: [
              { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
            ],
          }),
          refused({ code: 400, reason: 'BadRequest', message: 'metadata.managedFields must be nil' }),
        ),
      ],
    },
    {
      id: 'apply-wrong-version',
      steps: [
        apply(MAP, 'm1', configMap('a'), { status: 201 }),
        apply(MAP, 'm1', configMap({ name: 'a', resourceVersion: '1' }, { data: { k: 'v' } }), {
          status: 409,
          body: { reason: 'Conflict' },
        }),
      ],
    },
    {
      id: 'apply-yaml',
      steps: [
        apply(MAP, 'm1', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n', {
          status: 201,
          body: { data: { k: 'v' } },
        }),
      ],
    },
    {
      id: 'apply-strict-fields',
      steps: [
        apply(MAP, 'm1', configMap('a', { dta: { k: 'v' } }), {
          status: 500,
          body: { message: /\.dta: field not declared in schema/ },
        }),
      ],
    },
    {
      id: 'apply-dry-run',
      steps: [
        apply(MAP, 'm1', configMap('a'), { status: 201 }, '&dryRun=All'),
        { ask: `GET ${MAP}`, expect: { status: 404 } },
      ],
    },
    {
      id: 'managed-fields-can-be-reset',
      steps: [
        apply(MAP, 'm1', configMap('a', { data: { k: 'v' } }), { status: 201 }),
        {
          ask: `PATCH ${MAP}`,
          patch: 'merge',
          send: { metadata: { managedFields: [{}] } },
          expect: { status: 200, body: { metadata: { managedFields: absent } } },
        },
      ],
    },
    {
      id: 'manager-of-the-user-agent',
      steps: [
        {
          ask: 'POST ~/configmaps',
          headers: { 'user-agent': 'kubectl/v1.36 (linux)' },
          send: configMap('a', { data: { k: 'v' } }),
          expect: { status: 201, body: { metadata: { managedFields: [{ manager: 'kubectl', operation: 'Update' }] } } },
        },
      ],
    },
    {
      id: 'manager-name-is-checked',
      steps: [
        {
          ask: `POST ~/configmaps?fieldManager=${'m'.repeat(129)}`,
          send: configMap('a'),
          expect: { status: 422, body: { message: /fieldManager: Too long: may not be more than 128 bytes/ } },
        },
      ],
    },
  ]),
  ...chapter('patch', 'Server-side apply: merge strategy', [
    {
      id: 'apply-list-map',
      steps: [
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1, parts: [{ name: 'x', note: 'm1' }] } }), {
          status: 201,
          body: { spec: { parts: [{ name: 'x', count: 1, note: 'm1' }] } },
        }),
        apply(GADGET, 'm2', gadget('a', { spec: { parts: [{ name: 'y', note: 'm2' }] } }), {
          body: {
            spec: {
              parts: [
                { name: 'x', note: 'm1' },
                { name: 'y', note: 'm2' },
              ],
            },
          },
        }),
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1 } }), { body: { spec: { parts: [{ name: 'y' }] } } }),
      ],
    },
    {
      id: 'apply-list-map-conflict',
      steps: [
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1, parts: [{ name: 'x', note: 'm1' }] } }), { status: 201 }),
        apply(
          GADGET,
          'm2',
          gadget('a', { spec: { parts: [{ name: 'x', note: 'm2' }] } }),
          refused({
            ...{ code: 409, reason: 'Conflict' },
            message: 'Apply failed with 1 conflict: conflict with "m1": .spec.parts[name="x"].note',
          }),
        ),
      ],
    },
    {
      id: 'apply-set',
      steps: [
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1, tags: ['a', 'b'] } }), { status: 201 }),
        apply(GADGET, 'm2', gadget('a', { spec: { tags: ['b', 'c'] } }), { body: { spec: { tags: ['a', 'b', 'c'] } } }),
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1, tags: ['a'] } }), {
          body: { spec: { tags: ['a', 'b', 'c'] } },
        }),
        apply(GADGET, 'm2', gadget('a', { spec: { tags: ['c'] } }), { body: { spec: { tags: ['a', 'c'] } } }),
      ],
    },
    {
      id: 'apply-atomic-list',
      steps: [
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1, words: ['a', 'b'] } }), { status: 201 }),
        apply(
          GADGET,
          'm2',
          gadget('a', { spec: { words: ['c'] } }),
          refused({
            code: 409,
            reason: 'Conflict',
            message: 'Apply failed with 1 conflict: conflict with "m1": .spec.words',
          }),
        ),
        apply(
          GADGET,
          'm2',
          gadget('a', { spec: { words: ['c'] } }),
          { body: { spec: { words: ['c'] } } },
          '&force=true',
        ),
      ],
    },
    {
      id: 'apply-builtin-list-map',
      steps: [
        apply('~apps/v1/deployments/a', 'm1', deployment('a'), { status: 201 }),
        {
          ask: 'PATCH ~apps/v1/deployments/a?fieldManager=m2',
          patch: 'strategic',
          send: { spec: { template: { spec: { containers: [{ name: 'd', image: 'j' }] } } } },
          expect: { status: 200 },
        },
        apply('~apps/v1/deployments/a', 'm1', deployment('a', { replicas: 2 }), {
          body: { spec: { replicas: 2, template: { spec: { containers: including({ name: 'c' }, { name: 'd' }) } } } },
        }),
      ],
    },
    {
      id: 'apply-duplicate-key',
      steps: [
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1, parts: [{ name: 'x' }, { name: 'x' }] } }), {
          status: 500,
          body: { message: /duplicate entries for key \[name="x"\]/ },
        }),
      ],
    },
    {
      id: 'apply-default-is-not-owned',
      steps: [
        apply(GADGET, 'm1', gadget('a', { spec: { size: 1 } }), {
          status: 201,
          body: {
            spec: { color: 'red' },
            metadata: { managedFields: [entry('m1', 'Apply', exactly({ 'f:spec': { 'f:size': {} } }))] },
          },
        }),
        apply(GADGET, 'm2', gadget('a', { spec: { color: 'blue' } }), { body: { spec: { color: 'blue' } } }),
      ],
    },
    {
      id: 'apply-status',
      given: [gadget('a', { spec: { size: 1 } })],
      steps: [
        apply(`${GADGET}/status`, 'm1', gadget('a', { spec: { size: 9 }, status: { phase: 'Up' } }), {
          body: {
            ...{ spec: { size: 1 }, status: { phase: 'Up' } },
            metadata: {
              managedFields: including(
                entry('m1', 'Apply', exactly({ 'f:status': { 'f:phase': {} } }), { subresource: 'status' }),
              ),
            },
          },
        }),
      ],
    },
    {
      id: 'apply-status-conditions',
      given: [gadget('a', { spec: { size: 1 } })],
      steps: [
        apply(`${GADGET}/status`, 'm1', gadget('a', { status: { conditions: [{ type: 'A', status: 'True' }] } }), {}),
        apply(`${GADGET}/status`, 'm2', gadget('a', { status: { conditions: [{ type: 'B', status: 'True' }] } }), {
          body: { status: { conditions: [{ type: 'A' }, { type: 'B' }] } },
        }),
      ],
    },
    {
      id: 'apply-status-of-nothing',
      steps: [apply(`${GADGET}/status`, 'm1', gadget('a', { status: { phase: 'Up' } }), { status: 404 })],
    },
  ]),
];
