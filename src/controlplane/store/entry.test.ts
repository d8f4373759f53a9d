import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEntries } from './entry.ts';

const managedFields = [{ manager: 'me', fieldsV1: { 'f:size': {} } }];
const thing = (name: string) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name, managedFields }, size: 1 });

test('an object is parsed once for as long as it is among the last that were used', () => {
  const entries = createEntries(2);
  const entry = entries.stamp('/things', thing('a'), 7);
  const { object } = entry;
  entries.stamp('/things', thing('b'), 8);
  assert.equal(entry.object, object);
  assert.equal(object.metadata.resourceVersion, '7');
});

test('an object that was let go is parsed again, and says the same', () => {
  const entries = createEntries(2);
  const entry = entries.stamp('/things', thing('a'), 7);
  const { object } = entry;
  for (const name of ['b', 'c']) entries.stamp('/things', thing(name), 8);
  assert.notEqual(entry.object, object);
  assert.deepEqual(entry.object, object);
  assert.equal(entry.object, entry.object);
});

test('the text of an object is its JSON under its revision, and as long as said', () => {
  const entry = createEntries().stamp('/things', { ...thing('a'), spec: 'x'.repeat(1_000) }, 7);
  assert.deepEqual(JSON.parse(entry.json), entry.object);
  assert.equal(entry.chars, entry.json.length);
});

test('objects with equal specs are selected by one spec', () => {
  const entries = createEntries();
  const [a, b] = ['a', 'b'].map((name) => entries.stamp('/things', { ...thing(name), spec: { size: [1] } }, 7));
  assert.ok(a && b);
  assert.equal(a.selectable['spec'], b.selectable['spec']);
  assert.equal(b.selectable.metadata.name, 'b');
});

test('what selectors look at is made once, and leaves out who manages which field', () => {
  const entries = createEntries(1);
  const entry = entries.load({ collection: '/things', key: '/a', revision: 3, json: JSON.stringify(thing('a')) });
  const { selectable } = entry;
  entries.stamp('/things', thing('b'), 8);
  assert.equal(entry.selectable, selectable);
  assert.deepEqual(selectable, { ...thing('a'), metadata: { name: 'a' } });
  assert.deepEqual(entry.object.metadata['managedFields'], managedFields);
});

test('a record that holds no object is refused when it is loaded, not when it is read', () => {
  const record = { collection: '/things', key: '/a', revision: 3 };
  for (const json of ['{"metadata":', '{}', undefined]) {
    assert.throws(() => createEntries().load({ ...record, json }), { code: 'StoreDamaged' });
  }
});
