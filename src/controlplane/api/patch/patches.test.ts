import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTypeBook } from '../kinds/types/builtin-schema.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { shapeOfSchema } from './shape.ts';
import { applyStrategicMerge } from './strategic-merge.ts';

interface Row {
  readonly story: string;
  readonly from: unknown;
  readonly patch: unknown;
  readonly to: unknown;
}

const mergeRows: readonly Row[] = [
  { story: 'sets and removes fields', from: { a: 1, b: 2 }, patch: { a: 3, b: null }, to: { a: 3 } },
  { story: 'replaces lists as a whole', from: { a: [1, 2] }, patch: { a: [3] }, to: { a: [3] } },
  {
    story: 'makes maps on its way, without nulls',
    from: {},
    patch: { a: { b: { c: 1, d: null } } },
    to: { a: { b: { c: 1 } } },
  },
  { story: 'lays a map over a value that is none', from: { a: 'x' }, patch: { a: { b: 1 } }, to: { a: { b: 1 } } },
];
for (const { story, from, patch, to } of mergeRows) {
  test(`a merge patch ${story}`, () => assert.deepEqual(applyMergePatch(from, patch), to));
}

test('a merge patch with __proto__ sets a field and no prototype', () => {
  const merged = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(JSON.stringify(merged), '{"__proto__":{"polluted":true}}');
});

const jsonRows: readonly Row[] = [
  { story: 'adds a field', from: { a: {} }, patch: [{ op: 'add', path: '/a/b', value: 1 }], to: { a: { b: 1 } } },
  { story: 'inserts into a list', from: [1, 3], patch: [{ op: 'add', path: '/1', value: 2 }], to: [1, 2, 3] },
  { story: 'appends to a list', from: [1], patch: [{ op: 'add', path: '/-', value: 2 }], to: [1, 2] },
  { story: 'removes from a list', from: { a: [1, 2] }, patch: [{ op: 'remove', path: '/a/0' }], to: { a: [2] } },
  { story: 'replaces a value', from: { a: 1 }, patch: [{ op: 'replace', path: '/a', value: 2 }], to: { a: 2 } },
  {
    story: 'replaces an item in its place',
    from: [1, 2, 3],
    patch: [{ op: 'replace', path: '/1', value: 9 }],
    to: [1, 9, 3],
  },
  { story: 'moves', from: { a: 1 }, patch: [{ op: 'move', from: '/a', path: '/b' }], to: { b: 1 } },
  { story: 'copies', from: { a: 1 }, patch: [{ op: 'copy', from: '/a', path: '/b' }], to: { a: 1, b: 1 } },
  { story: 'reads escaped names', from: { 'a/b~c': 1 }, patch: [{ op: 'remove', path: '/a~1b~0c' }], to: {} },
  { story: 'goes on when its test holds', from: { a: 1 }, patch: [{ op: 'test', path: '/a', value: 1 }], to: { a: 1 } },
];
for (const { story, from, patch, to } of jsonRows) {
  test(`a JSON patch ${story}`, () => assert.deepEqual(applyJsonPatch(from, patch), to));
}

const badJsonPatches = [
  { story: 'a test that fails', patch: [{ op: 'test', path: '/a', value: 2 }], reason: 'Invalid' },
  { story: 'a path that is not there', patch: [{ op: 'remove', path: '/x' }], reason: 'Invalid' },
  { story: 'an index past the end', patch: [{ op: 'add', path: '/l/5', value: 1 }], reason: 'Invalid' },
  { story: 'an operation nobody knows', patch: [{ op: 'swap', path: '/a' }], reason: 'BadRequest' },
  { story: 'no list at all', patch: { op: 'add' }, reason: 'BadRequest' },
];
for (const { story, patch, reason } of badJsonPatches) {
  test(`a JSON patch with ${story} is refused`, () => {
    assert.throws(() => applyJsonPatch({ a: 1, l: [] }, patch), { reason });
  });
}

const containers = [
  { name: 'a', image: 'x', env: [{ name: 'K', value: '1' }] },
  { name: 'b', image: 'y' },
];
const strategicRows: readonly (Row & { /** The type of the value. */ readonly of?: string })[] = [
  {
    story: 'merges containers by name',
    from: { containers },
    patch: { containers: [{ name: 'b', image: 'z' }] },
    to: { containers: [containers[0], { name: 'b', image: 'z' }] },
  },
  {
    story: 'merges env of a container by name',
    from: { containers },
    patch: { containers: [{ name: 'a', env: [{ name: 'L', value: '2' }] }] },
    to: {
      containers: [
        {
          ...containers[0],
          env: [
            { name: 'L', value: '2' },
            { name: 'K', value: '1' },
          ],
        },
        containers[1],
      ],
    },
  },
  {
    story: 'puts new items first, and keeps the order of those that were there',
    from: { containers },
    patch: { containers: [{ name: 'c' }, { name: 'b' }] },
    to: { containers: [{ name: 'c' }, ...containers] },
  },
  {
    story: 'puts a new item behind the one it follows in the patch',
    from: { containers },
    patch: { containers: [{ name: 'b' }, { name: 'c' }] },
    to: { containers: [...containers, { name: 'c' }] },
  },
  {
    story: 'puts new values of a set first',
    of: 'meta.ObjectMeta',
    from: { finalizers: ['a'] },
    patch: { finalizers: ['b'] },
    to: { finalizers: ['b', 'a'] },
  },
  {
    story: 'deletes an item by its key',
    from: { containers },
    patch: { containers: [{ name: 'a', $patch: 'delete' }] },
    to: { containers: [containers[1]] },
  },
  {
    story: 'replaces a list when told to',
    from: { volumes: [{ name: 'v' }] },
    patch: { volumes: [{ $patch: 'replace' }, { name: 'w' }] },
    to: { volumes: [{ name: 'w' }] },
  },
  {
    story: 'replaces a map when told to',
    of: 'Container',
    from: { resources: { limits: { cpu: '1' } } },
    patch: { resources: { $patch: 'replace', requests: { cpu: '2' } } },
    to: { resources: { requests: { cpu: '2' } } },
  },
  {
    story: 'replaces tolerations as a whole',
    from: { tolerations: [{ key: 'a' }] },
    patch: { tolerations: [{ key: 'b' }] },
    to: { tolerations: [{ key: 'b' }] },
  },
  {
    story: 'adds finalizers as a set',
    of: 'meta.ObjectMeta',
    from: { finalizers: ['a'] },
    patch: { finalizers: ['a', 'b'] },
    to: { finalizers: ['a', 'b'] },
  },
  {
    story: 'takes values out of a set',
    of: 'meta.ObjectMeta',
    from: { finalizers: ['a', 'b'] },
    patch: { '$deleteFromPrimitiveList/finalizers': ['a'] },
    to: { finalizers: ['b'] },
  },
  {
    story: 'puts items in the order it names',
    from: { containers },
    patch: {
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }],
      containers: [{ name: 'c' }],
    },
    to: { containers: [{ name: 'c' }, containers[1], containers[0]] },
  },
  {
    story: 'keeps only the keys it retains',
    of: 'apps.DeploymentSpec',
    from: { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
    patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    to: { strategy: { type: 'Recreate' } },
  },
  {
    story: 'merges conditions by type',
    of: 'PodStatus',
    from: { conditions: [{ type: 'Ready', status: 'False' }] },
    patch: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'True' },
      ],
    },
    to: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'True' },
      ],
    },
  },
  {
    story: 'merges ports of a container by their number',
    from: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] },
    patch: { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'web' }] }] },
    to: { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'web' }] }] },
  },
];
const book = createTypeBook();
for (const { story, of = 'PodSpec', from, patch, to } of strategicRows) {
  test(`a strategic merge ${story}`, () => {
    const shape = shapeOfSchema(book(of), book('meta.ObjectMeta'));
    assert.deepEqual(applyStrategicMerge(from, patch, shape), to);
  });
}
