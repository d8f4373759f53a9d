import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type * as z from 'zod';
import { choice, flag, int32, int64, list, name, object, quantityMap, text, textMap, time } from './fields.ts';
import { toStructuralSchema } from './structural.ts';

const rules = [{ rule: 'self == oldSelf', message: 'immutable' }];

describe('a field becomes', () => {
  const cases: readonly { field: z.ZodType; story: string; schema: object }[] = [
    { story: 'a text', field: text('A.'), schema: { type: 'string', description: 'A.' } },
    {
      story: 'a text with bounds and a rule',
      field: text('A.', { minLength: 1, maxLength: 5, pattern: /^a/, rules }),
      schema: {
        type: 'string',
        description: 'A.',
        minLength: 1,
        maxLength: 5,
        pattern: '^a',
        'x-kubernetes-validations': rules,
      },
    },
    { story: 'a name', field: name('A.'), schema: { type: 'string', description: 'A.', minLength: 1, maxLength: 253 } },
    { story: 'a flag', field: flag('A.'), schema: { type: 'boolean', description: 'A.' } },
    {
      story: 'a choice',
      field: choice('A.', ['a', 'b']),
      schema: { type: 'string', description: 'A.', enum: ['a', 'b'] },
    },
    {
      story: 'a time, without the pattern of zod',
      field: time('A.'),
      schema: { type: 'string', description: 'A.', format: 'date-time' },
    },
    {
      story: 'a number of 32 bits, without the bounds of zod',
      field: int32('A.'),
      schema: { type: 'integer', description: 'A.', format: 'int32' },
    },
    {
      story: 'a number with bounds of its own',
      field: int32('A.', { minimum: 0, maximum: 100 }),
      schema: { type: 'integer', description: 'A.', format: 'int32', minimum: 0, maximum: 100 },
    },
    {
      story: 'a large number, never past what JSON carries exactly',
      field: int64('A.', { minimum: 0 }),
      schema: { type: 'integer', description: 'A.', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1 },
    },
    {
      story: 'a list that is replaced as a whole',
      field: list('A.', flag('B.'), { maxItems: 3 }),
      schema: {
        type: 'array',
        description: 'A.',
        maxItems: 3,
        items: { type: 'boolean', description: 'B.' },
        'x-kubernetes-list-type': 'atomic',
      },
    },
    {
      story: 'a list whose items have names',
      field: list('A.', object('B.', { id: flag('C.') }), { maxItems: 3, keys: ['id'] }),
      schema: {
        type: 'array',
        description: 'A.',
        maxItems: 3,
        items: {
          type: 'object',
          description: 'B.',
          properties: { id: { type: 'boolean', description: 'C.' } },
          required: ['id'],
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['id'],
      },
    },
    {
      story: 'a map of texts',
      field: textMap('A.'),
      schema: { type: 'object', description: 'A.', additionalProperties: { type: 'string' } },
    },
    {
      story: 'a map of amounts',
      field: quantityMap('A.'),
      schema: {
        type: 'object',
        description: 'A.',
        additionalProperties: {
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          'x-kubernetes-int-or-string': true,
        },
      },
    },
    {
      story: 'an object with a default, whose fields have defaults',
      field: object('A.', { a: text('B.').default('x'), b: text('C.').optional() }, { rules }).prefault({}),
      schema: {
        type: 'object',
        description: 'A.',
        default: {},
        properties: {
          a: { type: 'string', description: 'B.', default: 'x' },
          b: { type: 'string', description: 'C.' },
        },
        'x-kubernetes-validations': rules,
      },
    },
  ];
  for (const { story, field, schema } of cases) {
    it(`${story}`, () => assert.deepEqual(JSON.parse(JSON.stringify(toStructuralSchema(field))), schema));
  }
});
