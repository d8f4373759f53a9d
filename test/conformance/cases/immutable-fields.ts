/** What may not change, and what is unknown. */
import { chapter, type RequestStep } from '../case.ts';
import { absent, including } from '../match.ts';
import {
  configMap,
  deployment,
  gadget,
  invalid,
  job,
  node,
  pod,
  priorityClass,
  refused,
  replicaSet,
  roleBinding,
  secret,
} from '../objects.ts';

const put = (path: string, send: unknown, expect: object): RequestStep => ({ ask: `PUT ${path}`, send, expect });
const patch = (path: string, send: unknown, expect: object): RequestStep => ({
  ask: `PATCH ${path}`,
  patch: 'merge',
  send,
  expect,
});

const SAID_TWICE = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
  k: "1"
  k: "2"
  'k.k': "3"
  "k.k": "4"
`;
const TWICE = ['line 7: key "k" already set in map', 'line 9: key "k.k" already set in map'];
const warningOf = (text: string): string => `299 - ${JSON.stringify(text)}`;

const container = (fields: object) => ({ containers: [{ name: 'c', image: 'i', ...fields }] });

export const IMMUTABLE_FIELDS = [
  ...chapter('validation', 'Immutable fields', [
    {
      id: 'pod-spec-is-immutable',
      given: [pod('a')],
      steps: [
        patch(
          '~/pods/a',
          { spec: { hostname: 'h' } },
          {
            status: 422,
            body: {
              reason: 'Invalid',
              message:
                /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/,
            },
          },
        ),
        {
          ask: 'PATCH ~/pods/a',
          patch: 'strategic',
          send: { spec: { containers: [{ name: 'c', image: 'new' }] } },
          expect: { status: 200, body: { spec: { containers: [{ image: 'new' }] } } },
        },
        {
          ask: 'PATCH ~/pods/a',
          patch: 'json',
          send: [{ op: 'add', path: '/spec/tolerations/-', value: { key: 'k', operator: 'Exists' } }],
          expect: { status: 200 },
        },
        {
          ask: 'PATCH ~/pods/a',
          patch: 'json',
          send: [{ op: 'remove', path: '/spec/tolerations/2' }],
          expect: { status: 422 },
        },
      ],
    },
    {
      id: 'config-map-immutable',
      given: [configMap('a', { immutable: true, data: { k: 'v' } })],
      steps: [
        patch(
          '~/configmaps/a',
          { data: { k: 'w' } },
          invalid('ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set', [
            'data',
            'FieldValueForbidden',
          ]),
        ),
        patch('~/configmaps/a', { immutable: false }, { status: 422 }),
        patch('~/configmaps/a', { metadata: { labels: { x: 'y' } } }, { status: 200 }),
      ],
    },
    {
      id: 'secret-type',
      given: [secret('a')],
      steps: [
        patch(
          '~/secrets/a',
          { type: 'x/y' },
          invalid(/type: Invalid value: "x\/y": field is immutable/, ['type', 'FieldValueInvalid']),
        ),
      ],
    },
    {
      id: 'deployment-selector',
      given: [deployment('a')],
      steps: [
        patch(
          '~apps/v1/deployments/a',
          { spec: { selector: { matchLabels: { z: 'z' } }, template: { metadata: { labels: { z: 'z' } } } } },
          { status: 422, body: { message: /spec\.selector: Invalid value: .*field is immutable/ } },
        ),
      ],
    },
    {
      id: 'job-template',
      given: [job('a')],
      steps: [
        patch(
          '~batch/v1/jobs/a',
          { spec: { completions: 2 } },
          { status: 422, body: { message: /spec\.completions: Invalid value: 2: field is immutable/ } },
        ),
        patch(
          '~batch/v1/jobs/a',
          { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } },
          { status: 422, body: { message: /spec\.template: Invalid value: .*field is immutable/s } },
        ),
        patch('~batch/v1/jobs/a', { spec: { parallelism: 2, suspend: true } }, { status: 200 }),
      ],
    },
    {
      id: 'role-ref',
      given: [
        roleBinding('a', { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } }),
      ],
      steps: [
        patch(
          '~rbac.authorization.k8s.io/v1/rolebindings/a',
          { roleRef: { name: 'edit' } },
          { status: 422, body: { message: /roleRef: Invalid value: .*cannot change roleRef/ } },
        ),
      ],
    },
    {
      id: 'node-provider-id',
      given: [node('node-provider-id', { spec: { providerID: 'x://1' } })],
      steps: [
        patch(
          '/api/v1/nodes/node-provider-id',
          { spec: { providerID: 'x://2' } },
          {
            status: 422,
            body: {
              message: /spec\.providerID: Forbidden: node updates may not change providerID except from "" to valid/,
            },
          },
        ),
      ],
    },
    {
      id: 'replica-set-selector',
      given: [replicaSet('a')],
      steps: [
        put('~apps/v1/replicasets/a', replicaSet('a', { selector: { matchLabels: { app: 'a', x: 'y' } } }), {
          status: 422,
        }),
      ],
    },
    {
      id: 'priority-value',
      given: [priorityClass('priority-value', { value: 5 })],
      steps: [
        patch(
          '/apis/scheduling.k8s.io/v1/priorityclasses/priority-value',
          { value: 6 },
          {
            status: 422,
            body: {
              message: /value: (Forbidden: may not be changed in an update|Invalid value: 6: field is immutable)/,
            },
          },
        ),
      ],
    },
  ]),
  ...chapter('validation', 'API concepts: field validation', [
    {
      id: 'unknown-field-warns',
      steps: [
        {
          ask: 'POST ~/configmaps',
          send: configMap('a', { dta: { k: 'v' } }),
          expect: { status: 201, headers: { warning: '299 - "unknown field \\"dta\\""' }, body: { dta: absent } },
        },
      ],
    },
    {
      id: 'unknown-field-ignored',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldValidation=Ignore',
          send: configMap('a', { dta: {} }),
          expect: { status: 201, headers: { warning: absent } },
        },
      ],
    },
    {
      id: 'unknown-field-strict',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldValidation=Strict',
          send: configMap('a', { dta: {} }),
          expect: refused({
            code: 400,
            reason: 'BadRequest',
            message:
              'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"',
          }),
        },
      ],
    },
    {
      id: 'unknown-field-deep',
      steps: [
        {
          ask: 'POST ~/pods?fieldValidation=Strict',
          send: pod('a', container({ imagee: 'x' })),
          expect: {
            status: 400,
            body: {
              message:
                'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imagee"',
            },
          },
        },
      ],
    },
    {
      id: 'duplicate-field-strict',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldValidation=Strict',
          send: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1","k":"2"}}',
          expect: {
            status: 400,
            body: {
              message:
                'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k"',
            },
          },
        },
        {
          ask: 'POST ~/configmaps',
          send: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{},"data":{"k":"2"}}',
          expect: {
            status: 201,
            headers: { warning: '299 - "duplicate field \\"data\\""' },
            body: { data: { k: '2' } },
          },
        },
      ],
    },
    {
      id: 'duplicate-field-yaml',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldValidation=Strict',
          headers: { 'content-type': 'application/yaml' },
          send: `${SAID_TWICE}foo: 1\n`,
          expect: {
            status: 400,
            body: {
              message: `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  ${TWICE.join('\n  ')}, unknown field "foo"`,
            },
          },
        },
        {
          ask: 'POST ~/configmaps',
          headers: { 'content-type': 'application/yaml' },
          send: SAID_TWICE,
          expect: { status: 201, headers: { warning: TWICE.map(warningOf).join(', ') }, body: { data: { k: '2' } } },
        },
      ],
    },
    {
      id: 'duplicate-field-apply',
      steps: [
        {
          ask: 'PATCH ~/configmaps/a?fieldManager=me&fieldValidation=Strict',
          headers: { 'content-type': 'application/apply-patch+yaml' },
          send: SAID_TWICE,
          expect: {
            status: 400,
            body: {
              message: `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${TWICE.join('\n  ')}`,
            },
          },
        },
        {
          ask: 'PATCH ~/configmaps/a?fieldManager=me&fieldValidation=Ignore',
          headers: { 'content-type': 'application/apply-patch+yaml' },
          send: SAID_TWICE,
          expect: { status: 201, body: { data: { k: '2', 'k.k': '4' } } },
        },
        {
          ask: 'PATCH ~/configmaps/a?fieldManager=me',
          headers: { 'content-type': 'application/apply-patch+yaml' },
          send: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1",\n"k":"5"}}',
          expect: {
            status: 200,
            headers: { warning: warningOf('line 2: key "k" already set in map') },
            body: { data: { k: '5' } },
          },
        },
      ],
    },
    {
      id: 'unknown-field-custom-kind',
      steps: [
        {
          ask: 'POST ~conformance.macfleet.dev/v1/gadgets?fieldValidation=Strict',
          send: gadget('a', { spec: { size: 1, colour: 'x' } }),
          expect: {
            status: 400,
            body: {
              message:
                'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "spec.colour"',
            },
          },
        },
        {
          ask: 'POST ~conformance.macfleet.dev/v1/gadgets',
          send: gadget('a', { spec: { size: 1, colour: 'x' } }),
          expect: {
            status: 201,
            headers: { warning: '299 - "unknown field \\"spec.colour\\""' },
            body: { spec: { colour: absent } },
          },
        },
      ],
    },
    {
      id: 'field-validation-is-checked',
      steps: [
        {
          ask: 'POST ~/configmaps?fieldValidation=Maybe',
          send: configMap('a'),
          expect: {
            status: 422,
            body: { message: /fieldValidation: Invalid value: "Maybe"|fieldValidation: Unsupported value: "Maybe"/ },
          },
        },
      ],
    },
    {
      id: 'unknown-field-in-a-patch',
      given: [configMap('a')],
      steps: [
        {
          ask: 'PATCH ~/configmaps/a?fieldValidation=Strict',
          patch: 'merge',
          send: { dta: {} },
          expect: { status: 422, body: { message: /strict decoding error: unknown field "dta"/ } },
        },
        {
          ask: 'PATCH ~/configmaps/a',
          patch: 'merge',
          send: { dta: {} },
          expect: { status: 200, headers: { warning: /unknown field/ } },
        },
      ],
    },
    {
      id: 'several-causes',
      steps: [
        {
          ask: 'POST ~/pods',
          send: pod('a', { containers: [{ name: 'C' }], restartPolicy: 'x' }),
          expect: {
            status: 422,
            body: {
              details: {
                name: 'a',
                kind: 'Pod',
                causes: including(
                  { field: 'spec.containers[0].name' },
                  { field: 'spec.containers[0].image' },
                  { field: 'spec.restartPolicy' },
                ),
              },
            },
          },
        },
      ],
    },
  ]),
];
