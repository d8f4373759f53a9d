import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isRecord } from '../../base/json.ts';
import { parseWithoutManagedFields } from './managed-fields.ts';

const parse = (value: unknown): unknown => parseWithoutManagedFields(Buffer.from(JSON.stringify(value)));

/** What the code promises, written the slow way. */
const drop = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(drop);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !(name === 'managedFields' && isListOfObjects(member)));
  return Object.fromEntries(kept.map(([name, member]) => [name, drop(member)]));
};

const isListOfObjects = (value: unknown): boolean =>
  Array.isArray(value) && isRecord(value[0]) && Object.keys(value[0]).length > 0;

const ENTRY = { manager: 'kubectl', fieldsV1: { 'f:spec': { 'k:{"type":"Ready"}': { '.': {} } } } };

describe('parseWithoutManagedFields', () => {
  const rows = [
    { story: 'a last member', value: { metadata: { name: 'a', managedFields: [ENTRY] } } },
    { story: 'a first member', value: { metadata: { managedFields: [ENTRY, ENTRY], name: 'a' } } },
    { story: 'the only member', value: { metadata: { managedFields: [ENTRY] } } },
    {
      story: 'several objects',
      value: { items: [{ metadata: { managedFields: [ENTRY] } }, { metadata: { name: 'b' } }] },
    },
    { story: 'an empty list, which stays', value: { metadata: { managedFields: [] } } },
    {
      story: 'ends of lists inside strings',
      value: { metadata: { managedFields: [{ manager: 'x}],"y' }], name: 'a' } },
    },
    { story: 'lists of objects inside', value: { metadata: { managedFields: [{ a: [{ b: 1 }], c: 2 }], name: 'a' } } },
    { story: 'members of the same name inside', value: { managedFields: [{ managedFields: [{ a: 1 }] }], b: 1 } },
    { story: 'a name that ends alike', value: { metadata: { 'x"managedFields': [{ a: 1 }], name: 'a' } } },
    { story: 'the words inside a string', value: { data: '"managedFields":[{"a":1}]', name: 'a' } },
  ];
  for (const { story, value } of rows) {
    it(`understands ${story}`, () => assert.deepEqual(parse(value), drop(value)));
  }

  it('drops them where they look as an API server writes them', () => {
    assert.deepEqual(parse({ metadata: { name: 'a', managedFields: [ENTRY] }, spec: {} }), {
      metadata: { name: 'a' },
      spec: {},
    });
  });

  it('gives the value without them, whatever strings stand in it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':'), maxLength: 8 });
    // No backslash in names: JSON.parse of Node 26.10 mixes such names up (docs/dependencies.md).
    const name = fc.string({ unit: fc.constantFrom('a', '"', '{', '}', '[', ']', ',', ':'), maxLength: 8 });
    const leaf = fc.oneof(text, fc.integer(), fc.constant(null));
    const entry = fc.dictionary(
      fc.oneof(name, fc.constant('managedFields')),
      fc.oneof(leaf, fc.array(fc.dictionary(name, leaf))),
    );
    const object = fc.record({ before: leaf, managedFields: fc.array(entry), after: fc.oneof(leaf, entry) });
    fc.assert(
      fc.property(fc.array(object, { maxLength: 4 }), (value) => {
        const json = JSON.stringify(value);
        assert.equal(JSON.stringify(parse(value)), JSON.stringify(drop(JSON.parse(json))));
      }),
      { numRuns: 100 },
    );
  });

  for (const text of ['{"a":{"managedFields":[{"b":1}]', '{"managedFields":[{"b":"', '{"managedFields":[{"b":"\\']) {
    it(`still refuses what is no JSON: ${text}`, () =>
      assert.throws(() => parseWithoutManagedFields(Buffer.from(text)), SyntaxError));
  }
});
