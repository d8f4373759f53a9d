import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { BENCHMARKS } from './benchmarks.ts';

test('every benchmark has an id of its own in kebab-case, and names each figure once', () => {
  const ids = BENCHMARKS.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const { id, figures } of BENCHMARKS) {
    assert.match(id, /^[a-z]+(-[a-z]+)*$/);
    const names = figures.map(({ name }) => name);
    assert.ok(names.length > 0, `${id} measures nothing`);
    assert.deepEqual(names, [...new Set(names)]);
  }
});

test('the index loads none of the libraries that the sides use, so that each side starts clean', () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.deepEqual(
    loaded.filter((path) => path.includes('node_modules')),
    [],
  );
});
