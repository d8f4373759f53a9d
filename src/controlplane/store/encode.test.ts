import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEncode } from './encode.ts';
import { parseStoredObject, type StoredObject } from './object.ts';

const spec = { text: 'what all Pods of a template have in common '.repeat(5), more: [1, { deep: 'and in it' }] };
const fieldsV1 = { 'f:spec': Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f:field-${at}`, {}])) };
const pod = (name: string, time: string): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    managedFields: [
      { manager: 'me', time, fieldsV1 },
      { manager: 'kubelet', fieldsV1 },
    ],
    uid: name,
  },
  spec,
  status: { phase: 'Pending' },
});

const rows: readonly { readonly story: string; readonly object: object }[] = [
  { story: 'a Pod with managers', object: pod('a', '1') },
  { story: 'no more than a name', object: { metadata: { name: 'a' } } },
  { story: 'fields that are undefined', object: { kind: undefined, metadata: { name: 'a', uid: undefined }, spec } },
  { story: 'a spec before the metadata', object: { spec, metadata: { name: 'a' } } },
  { story: 'managedFields that are none', object: { metadata: { name: 'a', managedFields: [] } } },
  { story: 'managedFields of another form', object: { metadata: { name: 'a', managedFields: ['b', null, 7] }, spec } },
  { story: 'a spec that is no object', object: { metadata: { name: 'a' }, spec: null } },
  { story: 'text that JSON escapes', object: { metadata: { name: 'a', note: '"\\\n\ud800ü' }, 'q"uote': spec } },
  { story: 'a spec that is very long', object: { metadata: { name: 'a' }, spec: 'x'.repeat(100_000) } },
];
for (const { story, object } of rows) {
  test(`the pieces are the JSON of an object with ${story}`, () => {
    const encode = createEncode();
    for (let time = 0; time < 2; time += 1) {
      assert.equal(encode(parseStoredObject(object)).join(''), JSON.stringify(object));
    }
  });
}

test('the pieces are the JSON of any object, whatever was encoded before', () => {
  const fields = fc.dictionary(fc.constantFrom('spec', 'fieldsV1', 'managedFields', '__proto__', 'x'), fc.jsonValue());
  const objects = fc.record({ apiVersion: fc.string(), spec: fc.jsonValue(), metadata: fields });
  const encode = createEncode(4);
  fc.assert(
    fc.property(objects, ({ metadata, ...rest }) => {
      const object = parseStoredObject({ ...rest, metadata: { name: 'a', ...metadata } });
      assert.equal(encode(object).join(''), JSON.stringify(object));
    }),
  );
});

test('what other objects may have too stands alone, so that it can be kept once', () => {
  const encode = createEncode();
  for (const pieces of [encode(pod('one', '1')), encode(pod('other', '2'))]) {
    assert.ok(pieces.includes(JSON.stringify(spec)));
    const text = JSON.stringify(fieldsV1);
    assert.ok(pieces.includes(`,"fieldsV1":${text}}`), 'what follows the time at which somebody set fields');
    assert.ok(pieces.includes(`{"manager":"kubelet","fieldsV1":${text}}`), 'all of it where there is no time');
  }
});
