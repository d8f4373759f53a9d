import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../types/meta.ts';
import { createObjectStore } from './object-store.ts';

interface Thing extends KubeObject {
  readonly node?: string;
}

const thing = (name: string, resourceVersion: string, extra: { uid?: string; node?: string } = {}): Thing => ({
  metadata: { namespace: 'ns', name, uid: extra.uid ?? `uid-${name}`, resourceVersion },
  ...(extra.node === undefined ? {} : { node: extra.node }),
});

const storeOf = (...objects: readonly Thing[]) => {
  const store = createObjectStore<Thing>({ node: ({ node }) => (node === undefined ? [] : [node]) });
  store.replace(objects);
  return store;
};

describe('object store', () => {
  it('tells added from updated and shows what was held before', () => {
    const store = storeOf();
    assert.equal(store.upsert(thing('a', '1'))?.type, 'added');
    const change = store.upsert(thing('a', '2'));
    assert.deepEqual(change, { type: 'updated', object: thing('a', '2'), old: thing('a', '1') });
  });

  it('ignores a version that it already has, and an older one', () => {
    const store = storeOf(thing('a', '5'));
    assert.equal(store.upsert(thing('a', '5')), undefined);
    assert.equal(store.upsert(thing('a', '4')), undefined);
    assert.equal(store.get('ns/a')?.metadata.resourceVersion, '5');
  });

  it('compares versions as numbers, not as text', () => {
    const store = storeOf(thing('a', '9'));
    assert.equal(store.upsert(thing('a', '10'))?.type, 'updated');
  });

  it('keeps an object that was created anew after the delete that arrives late', () => {
    const store = storeOf(thing('a', '7', { uid: 'new' }));
    assert.equal(store.remove(thing('a', '5', { uid: 'old' })), undefined);
    assert.equal(store.size, 1);
    assert.equal(store.remove(thing('a', '8', { uid: 'new' }))?.type, 'deleted');
    assert.equal(store.size, 0);
  });

  it('makes a list the truth, also one that is older than what is held', () => {
    const store = storeOf(thing('a', '50'), thing('b', '51'));
    const changes = store.replace([thing('a', '20'), thing('c', '21')]);
    assert.deepEqual(changes.map(({ type }) => type).sort(), ['added', 'deleted', 'updated']);
    assert.deepEqual(
      store
        .list()
        .map(({ metadata }) => metadata.name)
        .sort(),
      ['a', 'c'],
    );
    assert.equal(store.get('ns/a')?.metadata.resourceVersion, '20');
  });

  it('says nothing about objects that a list shows unchanged', () => {
    const store = storeOf(thing('a', '1'), thing('b', '2'));
    assert.deepEqual(store.replace([thing('a', '1'), thing('b', '2')]), []);
  });

  it('finds objects by index and forgets them under a value that they no longer have', () => {
    const store = storeOf(thing('a', '1', { node: 'mac-1' }), thing('b', '2', { node: 'mac-1' }));
    assert.equal(store.byIndex('node', 'mac-1').length, 2);
    store.upsert(thing('a', '3', { node: 'mac-2' }));
    store.remove(thing('b', '4', { node: 'mac-1' }));
    assert.deepEqual(store.byIndex('node', 'mac-1'), []);
    assert.equal(store.byIndex('node', 'mac-2')[0]?.metadata.name, 'a');
  });

  it('refuses to answer for an index that does not exist', () => {
    assert.throws(() => storeOf().byIndex('colour', 'red'), { code: 'AssertionFailed' });
  });
});
