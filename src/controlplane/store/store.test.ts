import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from './store.ts';

const thing = (name: string, size = 0) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name }, size });

test('every change gets the next revision, stamped into the object', () => {
  const store = createStore();
  assert.equal(store.put('/things', thing('a')).object.metadata.resourceVersion, '1');
  assert.equal(store.put('/others', thing('a')).object.metadata.resourceVersion, '2');
  assert.equal(store.remove('/things', thing('a')).object.metadata.resourceVersion, '3');
  assert.equal(store.revision, 3);
});

test('a list is in the order of keys, whatever the order of writing', () => {
  const store = createStore();
  const names = (): readonly string[] => store.list('/things').map(({ object }) => object.metadata.name);
  for (const name of ['c', 'a', 'b']) store.put('/things', thing(name));
  assert.deepEqual(names(), ['a', 'b', 'c']);
  store.put('/things', thing('ab'));
  assert.deepEqual(names(), ['a', 'ab', 'b', 'c']);
  store.remove('/things', thing('b'));
  assert.deepEqual(names(), ['a', 'ab', 'c']);
});

test('listeners see the changes of their collection with what was there before', () => {
  const store = createStore();
  const seen: string[] = [];
  const stop = store.subscribe('/things', ({ type, entry, previous }) => {
    seen.push(`${type} ${entry.object['size']} was ${previous?.object['size']}`);
  });
  store.put('/things', thing('a', 1));
  store.put('/others', thing('a', 9));
  store.put('/things', thing('a', 2));
  store.remove('/things', thing('a', 2));
  stop();
  store.put('/things', thing('a', 3));
  assert.deepEqual(seen, ['ADDED 1 was undefined', 'MODIFIED 2 was 1', 'DELETED 2 was 2']);
});

test('an event is encoded once for all watchers', () => {
  const store = createStore();
  const lines: Uint8Array[] = [];
  for (let watcher = 0; watcher < 3; watcher += 1) store.subscribe('/things', (change) => lines.push(change.line()));
  store.put('/things', thing('a'));
  assert.equal(lines.length, 3);
  assert.ok(lines.every((line) => line === lines[0]));
});

test('history forgets the oldest changes and never answers with a gap', () => {
  const store = createStore({ historyMax: 4 });
  for (let size = 1; size <= 20; size += 1) store.put('/things', thing('a', size));
  assert.equal(store.since(3), undefined);
  for (let from = 0; from <= 20; from += 1) {
    const changes = store.since(from);
    if (changes === undefined) continue;
    assert.deepEqual(
      changes.map(({ revision }) => revision),
      Array.from({ length: 20 - from }, (_value, index) => from + index + 1),
    );
  }
  assert.equal(store.since(17)?.length, 3);
  assert.equal(store.since(21), undefined, 'a revision that is yet to come');
});

test('a collection can be read as it was', () => {
  const store = createStore();
  store.put('/things', thing('a', 1));
  store.put('/things', thing('b', 1));
  store.put('/others', thing('x', 1));
  const then = store.revision;
  store.remove('/things', thing('a', 1));
  store.put('/things', thing('b', 2));
  store.put('/things', thing('c', 1));
  store.remove('/others', thing('x', 1));
  const names = store.listAt('/things', then)?.map(({ object }) => `${object.metadata.name}${object['size']}`);
  assert.deepEqual(names, ['a1', 'b1']);
});
