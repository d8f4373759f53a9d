import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSpecSharing } from './share-spec.ts';

test('equal specs become one object, and everything else stays as it is', () => {
  const shareSpec = createSpecSharing();
  const first = shareSpec({ name: 'a', spec: { size: 1 } });
  const second = shareSpec({ name: 'b', spec: { size: 1 } });
  const other = shareSpec({ name: 'c', spec: { size: 2 } });
  assert.equal(second.spec, first.spec);
  assert.deepEqual(
    [second, other],
    [
      { name: 'b', spec: { size: 1 } },
      { name: 'c', spec: { size: 2 } },
    ],
  );
});

test('an object without a spec gets none', () => {
  const object = { name: 'a' };
  assert.equal(createSpecSharing()(object), object);
});
