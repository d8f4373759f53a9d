import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from './store.ts';
import { createScriptedLog } from './testing/scripted-log.ts';

const thing = (name: string, size = 0) => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name }, size });

const open = () => {
  const scripted = createScriptedLog();
  const store = createStore({ log: scripted.log });
  const seen: string[] = [];
  store.subscribe('/things', ({ type, revision }) => seen.push(`${type} ${revision}`));
  const settled: string[] = [];
  const ask = () => store.whenSettled(({ is }) => settled.push(is));
  const sizes = () => store.list('/things').map(({ object }) => `${object.metadata.name}${object['size']}`);
  return { ...scripted, store, seen, settled, ask, sizes };
};

test('all writes of one turn are one append, and each is told of after it', () => {
  const { store, groups, seen, settled, ask, endTurn } = open();
  for (const name of ['a', 'b', 'c']) {
    store.put('/things', thing(name));
    ask();
  }
  assert.deepEqual([groups, seen, settled], [[], [], []]);
  endTurn();
  assert.deepEqual(groups, [3]);
  assert.deepEqual(seen, ['ADDED 1', 'ADDED 2', 'ADDED 3']);
  assert.deepEqual(settled, ['durable', 'durable', 'durable']);
});

test('a write is seen by the next reader in the same turn', () => {
  const { store, sizes } = open();
  store.put('/things', thing('a', 1));
  store.put('/things', thing('a', 2));
  assert.equal(store.get('/things', '/a')?.revision, 2);
  assert.deepEqual(sizes(), ['a2']);
  assert.equal(store.listAt('/things', 1)?.[0]?.object['size'], 1);
  assert.equal(store.listAt('/things', 3), undefined);
});

test('nothing is waited for when nothing was written', () => {
  const { settled, ask } = open();
  ask();
  assert.deepEqual(settled, ['durable']);
});

test('what a full disk did not take is as if nobody had written it, and reads go on', () => {
  const { store, seen, settled, ask, sizes, endTurn, fill } = open();
  store.put('/things', thing('a', 1));
  store.put('/things', thing('b', 1));
  endTurn();
  fill('full');
  store.put('/things', thing('a', 2));
  store.remove('/things', thing('b', 1));
  store.put('/things', thing('c', 1));
  store.put('/things', thing('a', 3));
  ask();
  endTurn();
  assert.deepEqual(settled, ['lost']);
  assert.deepEqual(sizes(), ['a1', 'b1']);
  assert.equal(store.revision, 2);
  assert.deepEqual(seen, ['ADDED 1', 'ADDED 2']);
  fill('free');
  assert.equal(store.put('/things', thing('c', 9)).revision, 3);
  endTurn();
  assert.deepEqual(sizes(), ['a1', 'b1', 'c9']);
  assert.deepEqual(
    store.since(2)?.map(({ entry }) => entry.key),
    ['/c'],
  );
});

test('a flush settles at once, and throws what went wrong', () => {
  const { store, groups, fill, endTurn } = open();
  store.put('/things', thing('a'));
  store.flush();
  assert.deepEqual(groups, [1]);
  endTurn();
  assert.deepEqual(groups, [1]);
  fill('full');
  store.put('/things', thing('b'));
  assert.throws(() => store.flush(), { code: 'StoreFailed' });
});

test('closing makes durable what is still undecided', () => {
  const { store, groups } = open();
  store.put('/things', thing('a'));
  store.close();
  assert.deepEqual(groups, [1]);
});
