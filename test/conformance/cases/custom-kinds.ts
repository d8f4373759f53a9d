/** Kinds that a CustomResourceDefinition brings: schema, defaults, pruning, rules, status, scale. */
import { chapter } from '../case.ts';
import { CRDS, definition, schema } from '../definition.ts';
import { absent, exactly } from '../match.ts';
import { gadget, invalid } from '../objects.ts';

const GADGETS = '~conformance.macfleet.dev/v1/gadgets';
const ONE = `${GADGETS}/a`;
const NAME = 'Gadget.conformance.macfleet.dev "a" is invalid: ';
const sized = (spec: object = {}) => gadget('a', { spec: { size: 1, ...spec } });

const refuses = (id: string, spec: object, message: string, field: string, reason = 'FieldValueInvalid') => ({
  id,
  steps: [
    { ask: `POST ${GADGETS}`, send: gadget('a', { spec }), expect: invalid(`${NAME}${message}`, [field, reason]) },
  ],
});

const UNCHECKED =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Rules are not tried on an object whose shape is wrong, and the answer says so. */
const refusesShape = (id: string, spec: object, message: string, cause: readonly [string, string]) => ({
  id,
  steps: [
    {
      ask: `POST ${GADGETS}`,
      send: gadget('a', { spec }),
      expect: invalid(`${NAME}[${message}, ${UNCHECKED}]`, cause, ['<nil>', 'FieldValueInvalid']),
    },
  ],
});
const merge = (path: string, send: unknown, expect: object) => ({
  ask: `PATCH ${path}`,
  patch: 'merge' as const,
  send,
  expect,
});

export const CUSTOM_KINDS = [
  ...chapter('custom kinds', 'Custom resources: validation', [
    refusesShape('custom-required', {}, `spec.size: Required value`, ['spec.size', 'FieldValueRequired']),
    refuses(
      'custom-minimum',
      { size: 0 },
      `spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1`,
      'spec.size',
    ),
    refuses(
      'custom-maximum',
      { size: 11 },
      `spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10`,
      'spec.size',
    ),
    refusesShape(
      'custom-type',
      { size: 'x' },
      `spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`,
      ['spec.size', 'FieldValueTypeInvalid'],
    ),
    refusesShape(
      'custom-enum',
      { size: 1, color: 'pink' },
      `spec.color: Unsupported value: "pink": supported values: "red", "green", "blue"`,
      ['spec.color', 'FieldValueNotSupported'],
    ),
    refuses(
      'custom-pattern',
      { size: 1, code: 'A1' },
      `spec.code: Invalid value: "A1": spec.code in body should match '^[a-z]+$'`,
      'spec.code',
    ),
    refusesShape(
      'custom-max-length',
      { size: 1, code: 'abcdefghij' },
      `spec.code: Too long: may not be more than 8 bytes`,
      ['spec.code', 'FieldValueTooLong'],
    ),
    refusesShape(
      'custom-max-items',
      { size: 1, words: ['a', 'b', 'c', 'd'] },
      `spec.words: Too many: 4: must have at most 3 items`,
      ['spec.words', 'FieldValueTooMany'],
    ),
    refuses(
      'custom-set-duplicate',
      { size: 1, tags: ['a', 'a'] },
      `spec.tags[1]: Duplicate value: "a"`,
      'spec.tags[1]',
      'FieldValueDuplicate',
    ),
    refuses(
      'custom-map-duplicate',
      { size: 1, parts: [{ name: 'x' }, { name: 'x' }] },
      `spec.parts[1]: Duplicate value: {"name":"x"}`,
      'spec.parts[1]',
      'FieldValueDuplicate',
    ),
    refusesShape(
      'custom-date',
      { size: 1, when: 'soon' },
      `spec.when: Invalid value: "soon": spec.when in body must be of type date-time: "soon"`,
      ['spec.when', 'FieldValueTypeInvalid'],
    ),
    {
      id: 'custom-null',
      steps: [
        {
          ask: `POST ${GADGETS}`,
          send: sized({ code: null }),
          expect: { status: 201, body: { spec: { code: absent } } },
        },
      ],
    },
    {
      id: 'custom-nullable',
      steps: [
        {
          ask: `POST ${GADGETS}`,
          send: sized({ maybe: null }),
          expect: { status: 201, body: { spec: { maybe: null } } },
        },
      ],
    },
    {
      id: 'custom-int-or-string',
      steps: [
        { ask: `POST ${GADGETS}`, send: sized({ either: '50%' }), expect: { status: 201 } },
        merge(ONE, { spec: { either: 5 } }, { status: 200, body: { spec: { either: 5 } } }),
        merge(ONE, { spec: { either: true } }, { status: 422 }),
      ],
    },
    {
      id: 'custom-names',
      steps: [
        {
          ask: `POST ${GADGETS}`,
          send: gadget('Big', { spec: { size: 1 } }),
          expect: { status: 422, body: { message: /metadata\.name: Invalid value: "Big"/ } },
        },
      ],
    },
  ]),
  ...chapter('custom kinds', 'Custom resources: defaulting and pruning', [
    {
      id: 'custom-defaults',
      steps: [
        {
          ask: `POST ${GADGETS}`,
          send: sized({ parts: [{ name: 'x' }] }),
          expect: { status: 201, body: { metadata: { generation: 1 }, spec: { color: 'red', parts: [{ count: 1 }] } } },
        },
      ],
    },
    {
      id: 'custom-pruning',
      steps: [
        {
          ask: `POST ${GADGETS}`,
          send: { ...sized({ unknown: 1, free: { any: { deep: [1] } }, parts: [{ name: 'x', junk: 1 }] }), top: 1 },
          expect: {
            status: 201,
            body: {
              top: absent,
              spec: exactly({ size: 1, color: 'red', free: { any: { deep: [1] } }, parts: [{ name: 'x', count: 1 }] }),
            },
          },
        },
      ],
    },
  ]),
  ...chapter('custom kinds', 'Custom resources: validation rules', [
    refuses(
      'rule-message-expression',
      { size: 1, low: 3, high: 2, code: 'abc' },
      'spec.low: Invalid value: low is above high in abc',
      'spec.low',
    ),
    {
      id: 'rule-transition',
      given: [sized({ frozen: 'x' })],
      steps: [
        merge(
          ONE,
          { spec: { frozen: 'y' } },
          invalid(`${NAME}spec.frozen: Invalid value: "y": frozen stays`, ['spec.frozen', 'FieldValueInvalid']),
        ),
        merge(ONE, { spec: { size: 2 } }, { status: 200 }),
        merge(ONE, { spec: { frozen: null } }, { status: 200 }),
      ],
    },
    {
      id: 'ratcheting',
      steps: [
        {
          ask: `POST ${CRDS}`,
          send: definition(
            'ratchets',
            schema({ spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } } }),
          ),
          expect: { status: 201 },
        },
        {
          ask: 'POST ~made.macfleet.dev/v1/ratchets',
          is: 'eventual',
          send: {
            apiVersion: 'made.macfleet.dev/v1',
            kind: 'Kratchets',
            metadata: { name: 'a' },
            spec: { a: 'long enough', b: 'x' },
          },
          expect: { status: 201 },
        },
        merge(
          `${CRDS}/ratchets.made.macfleet.dev`,
          {
            spec: {
              versions: [
                {
                  name: 'v1',
                  served: true,
                  storage: true,
                  ...schema({
                    spec: {
                      type: 'object',
                      properties: { a: { type: 'string', maxLength: 3 }, b: { type: 'string' } },
                    },
                  }),
                },
              ],
            },
          },
          { status: 200 },
        ),
        {
          ask: 'POST ~made.macfleet.dev/v1/ratchets',
          is: 'eventual',
          send: {
            apiVersion: 'made.macfleet.dev/v1',
            kind: 'Kratchets',
            metadata: { generateName: 'b-' },
            spec: { a: 'long enough' },
          },
          expect: { status: 422 },
        },
        merge('~made.macfleet.dev/v1/ratchets/a', { spec: { b: 'y' } }, { status: 200 }),
        merge('~made.macfleet.dev/v1/ratchets/a', { spec: { a: 'also too long' } }, { status: 422 }),
      ],
    },
  ]),
  ...chapter('custom kinds', 'Custom resources: status subresource', [
    {
      id: 'custom-status-not-on-create',
      steps: [
        {
          ask: `POST ${GADGETS}`,
          send: { ...sized(), status: { phase: 'Up' } },
          expect: { status: 201, body: { status: absent } },
        },
      ],
    },
    {
      id: 'custom-status-apart',
      given: [sized()],
      steps: [
        merge(ONE, { status: { phase: 'Up' } }, { status: 200, body: { status: absent } }),
        merge(
          `${ONE}/status`,
          { spec: { size: 5 }, status: { phase: 'Up' } },
          { status: 200, body: { spec: { size: 1 }, status: { phase: 'Up' }, metadata: { generation: 1 } } },
        ),
        merge(
          ONE,
          { spec: { size: 2 } },
          { status: 200, body: { status: { phase: 'Up' }, metadata: { generation: 2 } } },
        ),
        { ask: `GET ${ONE}/status`, expect: { status: 200, body: { kind: 'Gadget', status: { phase: 'Up' } } } },
      ],
    },
    {
      id: 'custom-status-metadata',
      given: [sized()],
      steps: [
        merge(
          `${ONE}/status`,
          { metadata: { labels: { x: 'y' } }, status: { phase: 'Up' } },
          { status: 200, body: { metadata: { labels: absent } } },
        ),
      ],
    },
  ]),
  ...chapter('custom kinds', 'Custom resources: scale subresource', [
    {
      id: 'custom-scale',
      given: [sized({ replicas: 2 })],
      steps: [
        merge(`${ONE}/status`, { status: { replicas: 1, selector: 'app=a' } }, { status: 200 }),
        {
          ask: `GET ${ONE}/scale`,
          expect: {
            status: 200,
            body: {
              kind: 'Scale',
              apiVersion: 'autoscaling/v1',
              spec: { replicas: 2 },
              status: { replicas: 1, selector: 'app=a' },
            },
          },
        },
        merge(`${ONE}/scale`, { spec: { replicas: 5 } }, { status: 200, body: { spec: { replicas: 5 } } }),
        { ask: `GET ${ONE}`, expect: { status: 200, body: { spec: { replicas: 5 }, metadata: { generation: 2 } } } },
      ],
    },
  ]),
];
