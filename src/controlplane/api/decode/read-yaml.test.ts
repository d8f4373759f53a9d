import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestPlane } from '../testing/plane.ts';
import { readYaml } from './read-yaml.ts';

const rows: readonly {
  readonly story: string;
  readonly text: string;
  readonly value: unknown;
  readonly repeated: readonly string[];
}[] = [
  { story: 'each key once', text: 'a: 1\nb: [x, {c: d}]\n', value: { a: 1, b: ['x', { c: 'd' }] }, repeated: [] },
  { story: 'a key twice', text: '\na: 1\na: 2', value: { a: 2 }, repeated: ['line 3: key "a" already set in map'] },
  {
    story: 'a key three times in a list',
    text: '- {a: 1,\n   a: 2, "a": 3}',
    value: [{ a: 3 }],
    repeated: ['line 2: key "a" already set in map', 'line 2: key "a" already set in map'],
  },
  { story: 'a number twice', text: '1: a\n1: b', value: { 1: 'b' }, repeated: ['line 2: key 1 already set in map'] },
  { story: 'one key in two objects', text: 'a: {x: 1}\nb: {x: 1}', value: { a: { x: 1 }, b: { x: 1 } }, repeated: [] },
];
for (const { story, text, value, repeated } of rows) {
  test(`YAML that says ${story} is read, and what is said again is told by its line`, () => {
    assert.deepEqual(readYaml(text), { value, repeated });
  });
}

test('YAML that is broken is refused, whatever it says twice', () => {
  for (const text of ['a: 1\na: 2\nb: [1', 'a: 1\n---\nb: 2', `a: &x [1]\nb: [${'*x,'.repeat(200)}]`]) {
    assert.throws(() => readYaml(text));
  }
});

test('what an apply says twice is warned of, refuses a strict one, and is let pass where nobody cares', () => {
  const { patch } = createTestPlane();
  const path = '/api/v1/namespaces/default/configmaps/m?fieldManager=me';
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  k: a\n  k: b\n';
  const refused = patch(`${path}&fieldValidation=Strict`, 'apply', text);
  assert.equal(refused.status, 400);
  assert.match(String(refused.body['message']), /^error strict decoding YAML: .*\n {2}line 6: key "k" already set/);
  const warned = patch(path, 'apply', text);
  assert.deepEqual([warned.status, warned.body['data']], [201, { k: 'b' }]);
  assert.equal(warned.headers['warning'], '299 - "line 6: key \\"k\\" already set in map"');
  assert.equal(patch(`${path}&fieldValidation=Ignore`, 'apply', text).headers['warning'], undefined);
});
