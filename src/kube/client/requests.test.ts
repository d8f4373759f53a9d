import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { Call } from './call.ts';
import { toCreate, toDelete, toGet, toPage, toPatch, toSubresource, toUpdate, toWatch } from './requests.ts';

const pods: Resource<KubeObject> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' };
const { signal } = new AbortController();
const key = { namespace: 'a', name: 'b' };
const object: KubeObject = { metadata: { ...key, resourceVersion: '1' } };
const base = '/api/v1/namespaces/a/pods';
const merge = { type: 'merge', body: {} } as const;

describe('on the wire', () => {
  const rows: readonly (readonly [string, Call, Partial<Call>])[] = [
    [
      'get',
      toGet(pods, key, signal),
      { method: 'GET', path: `${base}/b`, doing: 'getting pods a/b', repetition: 'read' },
    ],
    [
      'the first page',
      toPage(pods, { namespace: 'a', labelSelector: 'x in (y,z)', signal }, { limit: 500, continue: undefined }),
      {
        path: `${base}?limit=500&labelSelector=x%20in%20(y%2Cz)`,
        doing: 'listing pods in a',
        repetition: 'read',
        expiredCode: 'Expired',
      },
    ],
    [
      'a later page',
      toPage(pods, { fieldSelector: 'spec.nodeName=n', signal }, { limit: 2, continue: 'a+/=' }),
      {
        path: '/api/v1/pods?limit=2&continue=a%2B%2F%3D&fieldSelector=spec.nodeName%3Dn',
        doing: 'listing pods',
        expiredCode: 'ContinueExpired',
      },
    ],
    [
      'a watch',
      toWatch(pods, { resourceVersion: '7', timeoutSeconds: 290, signal }),
      {
        path: '/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=290',
        doing: 'watching pods',
        expiredCode: 'WatchExpired',
      },
    ],
    [
      'a creation',
      toCreate(pods, object, { signal, fieldManager: 'f', dryRun: 'All' }),
      {
        method: 'POST',
        path: `${base}?fieldManager=f&dryRun=All`,
        doing: 'creating pods a/b',
        repetition: 'unguarded',
        body: '{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"a","name":"b","resourceVersion":"1"}}',
      },
    ],
    [
      'a creation whose name the server makes',
      toCreate(pods, { metadata: { namespace: 'a', name: '', generateName: 'b-' } }, { signal }),
      { method: 'POST', path: base, doing: 'creating pods a/b-*', repetition: 'unguarded' },
    ],
    [
      'a question',
      toCreate(pods, { metadata: { namespace: 'a', name: '' } }, { signal }),
      { method: 'POST', path: base, doing: 'creating pods in a', repetition: 'unguarded' },
    ],
    [
      'an update of an object that says its kind',
      toUpdate(pods, { kind: 'Pod', apiVersion: 'v2', ...object }, { signal }),
      {
        method: 'PUT',
        path: `${base}/b`,
        body: '{"apiVersion":"v2","kind":"Pod","metadata":{"namespace":"a","name":"b","resourceVersion":"1"}}',
      },
    ],
    [
      'an update of the scale, which is of another kind',
      toUpdate(pods, object, { signal, subresource: 'scale' }),
      {
        method: 'PUT',
        path: `${base}/b/scale`,
        body: '{"metadata":{"namespace":"a","name":"b","resourceVersion":"1"}}',
      },
    ],
    [
      'an update of the status',
      toUpdate(pods, object, { signal, subresource: 'status' }),
      { method: 'PUT', path: `${base}/b/status`, doing: 'updating pods/status a/b', repetition: 'guarded' },
    ],
    [
      'a merge patch of the status',
      toPatch(pods, { key, patch: merge }, { signal, subresource: 'status' }),
      {
        method: 'PATCH',
        path: `${base}/b/status`,
        doing: 'patching pods/status a/b',
        contentType: 'application/merge-patch+json',
        body: '{}',
        repetition: 'unguarded',
      },
    ],
    [
      'a JSON patch',
      toPatch(pods, { key, patch: { type: 'json', body: [] } }, { signal }),
      { contentType: 'application/json-patch+json', body: '[]' },
    ],
    [
      'a strategic merge patch',
      toPatch(pods, { key, patch: { type: 'strategic-merge', body: {} } }, { signal }),
      { contentType: 'application/strategic-merge-patch+json' },
    ],
    [
      'a forced apply',
      toPatch(pods, { key, patch: { type: 'apply', body: {}, force: true } }, { signal, fieldManager: 'f' }),
      {
        path: `${base}/b?fieldManager=f&force=true`,
        doing: 'applying pods a/b',
        contentType: 'application/apply-patch+yaml',
        repetition: 'guarded',
      },
    ],
    [
      'a plain delete',
      toDelete(pods, key, { signal }),
      {
        method: 'DELETE',
        path: `${base}/b`,
        body: '{"kind":"DeleteOptions","apiVersion":"v1"}',
        repetition: 'unguarded',
      },
    ],
    [
      'a careful delete',
      toDelete(pods, key, {
        signal,
        preconditions: { uid: 'u' },
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
        dryRun: 'All',
      }),
      {
        doing: 'deleting pods a/b',
        repetition: 'guarded',
        body: '{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"},"propagationPolicy":"Foreground","gracePeriodSeconds":0,"dryRun":["All"]}',
      },
    ],
    [
      'an eviction',
      toSubresource(pods, key, { subresource: 'eviction', body: object, signal }),
      { method: 'POST', path: `${base}/b/eviction`, doing: 'creating pods/eviction a/b', repetition: 'unguarded' },
    ],
  ];
  for (const [story, call, expected] of rows) {
    it(`${story} reads as it should`, () => assert.deepEqual({ ...call, ...expected }, call));
  }
});
