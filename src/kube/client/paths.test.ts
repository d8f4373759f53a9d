import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import { collectionPath, creationPath, objectPath, withQuery } from './paths.ts';

const pods: Resource<KubeObject> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
const hosts: Resource<KubeObject> = { group: 'x.dev', version: 'v1', kind: 'Host', plural: 'hosts', scope: 'Cluster' };

describe('the path of', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['a core kind in all namespaces', collectionPath(pods), '/api/v1/pods'],
    ['a core kind in one', collectionPath(pods, 'a'), '/api/v1/namespaces/a/pods'],
    ['a cluster-wide kind of a group', collectionPath(hosts), '/apis/x.dev/v1/hosts'],
    ['a cluster-wide kind although a namespace is named', collectionPath(hosts, 'a'), '/apis/x.dev/v1/hosts'],
    ['a creation', creationPath(pods, { namespace: 'a', name: '' }), '/api/v1/namespaces/a/pods'],
    ['an object', objectPath(pods, { namespace: 'a', name: 'b' }), '/api/v1/namespaces/a/pods/b'],
    ['its status', objectPath(hosts, { name: 'b' }, 'status'), '/apis/x.dev/v1/hosts/b/status'],
    ['a name with a colon', objectPath(hosts, { name: 'system:node' }), '/apis/x.dev/v1/hosts/system%3Anode'],
    ['a query', withQuery('/x', { a: 'b=c', none: undefined, limit: 5 }), '/x?a=b%3Dc&limit=5'],
    ['no query', withQuery('/x', { none: undefined }), '/x'],
  ];
  for (const [story, path, expected] of rows) it(`${story} is ${expected}`, () => assert.equal(path, expected));
});

describe('a name that would change the path is refused:', () => {
  const names = [
    '',
    '.',
    '..',
    '../../secrets',
    'a/b',
    'a%2fb',
    'a?b',
    'a#b',
    'a b',
    'a\nb',
    'a\u0000',
    'x'.repeat(254),
    'a\\b',
  ];
  for (const name of names) {
    it(JSON.stringify(name.slice(0, 20)), () => {
      assert.throws(() => objectPath(hosts, { name }), { kind: 'invalid', code: 'BadName' });
      assert.throws(() => collectionPath(pods, name), { kind: 'invalid', code: 'BadName' });
    });
  }

  it('and so is a namespaced object without a namespace', () => {
    assert.throws(() => objectPath(pods, { name: 'x' }), { kind: 'invalid', code: 'NamespaceMissing' });
    assert.throws(() => creationPath(pods, { name: 'x' }), { kind: 'invalid', code: 'NamespaceMissing' });
  });
});
