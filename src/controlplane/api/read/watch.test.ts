import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../../../base/logger.ts';
import { createCache } from '../../../kube/cache/cache.ts';
import type { RelistCause } from '../../../kube/cache/reflector.ts';
import { NODES, type Node } from '../../../kube/types/core.ts';
import { at, createTestPlane } from '../testing/plane.ts';

const CONFIGS = '/api/v1/namespaces/default/configmaps';
const config = (name: string, labels: object = {}) => ({ metadata: { name, labels } });
const tell = (lines: readonly unknown[]) =>
  lines.map((line) => `${at(line, 'type')} ${at(line, 'object.metadata.name')}`);

describe('a watch', () => {
  test('without a version starts with what is there', () => {
    const { ask, watch } = createTestPlane();
    ask('POST', CONFIGS, config('a'));
    const { lines } = watch(`${CONFIGS}?watch=true`);
    ask('POST', CONFIGS, config('b'));
    ask('DELETE', `${CONFIGS}/a`);
    assert.deepEqual(tell(lines), ['ADDED a', 'ADDED b', 'DELETED a']);
  });

  test('from a version tells what came after it, and nothing else', () => {
    const { ask, watch, patch } = createTestPlane();
    const first = ask('POST', CONFIGS, config('a')).body;
    patch(`${CONFIGS}/a`, 'merge', { data: { k: 'v' } });
    ask('POST', '/api/v1/namespaces/default/secrets', config('other-kind'));
    ask('POST', '/api/v1/namespaces/kube-system/configmaps', config('elsewhere'));
    const { lines } = watch(`${CONFIGS}?watch=1&resourceVersion=${at(first, 'metadata.resourceVersion')}`);
    assert.deepEqual(tell(lines), ['MODIFIED a']);
  });

  test('over all namespaces sees them all', () => {
    const { ask, watch } = createTestPlane();
    const { lines } = watch('/api/v1/configmaps?watch=1');
    ask('POST', CONFIGS, config('a'));
    ask('POST', '/api/v1/namespaces/kube-system/configmaps', config('b'));
    assert.deepEqual(tell(lines), ['ADDED a', 'ADDED b']);
  });

  test('with a selector sees objects come and go as they begin and cease to match', () => {
    const { ask, watch, patch } = createTestPlane();
    const { lines } = watch(`${CONFIGS}?watch=1&labelSelector=in%3Dyes`);
    ask('POST', CONFIGS, config('a'));
    patch(`${CONFIGS}/a`, 'merge', { metadata: { labels: { in: 'yes' } } });
    patch(`${CONFIGS}/a`, 'merge', { data: { k: 'v' } });
    patch(`${CONFIGS}/a`, 'merge', { metadata: { labels: { in: null } } });
    patch(`${CONFIGS}/a`, 'merge', { data: { k: 'w' } });
    ask('DELETE', `${CONFIGS}/a`);
    assert.deepEqual(tell(lines), ['ADDED a', 'MODIFIED a', 'DELETED a']);
  });

  for (const selector of [
    'metadata.name=b',
    ' metadata.name == b ',
    'metadata.name=b,metadata.namespace=default',
    'metadata.name=b,metadata.name!=c',
  ])
    test(`of one name (${selector}) sees that one, and no longer one`, () => {
      const { ask, watch } = createTestPlane();
      const { lines } = watch(`${CONFIGS}?watch=1&fieldSelector=${encodeURIComponent(selector)}`);
      for (const name of ['a', 'b', 'c', 'a-b', 'b.b']) ask('POST', CONFIGS, config(name));
      ask('POST', '/api/v1/namespaces/kube-system/configmaps', config('b'));
      assert.deepEqual(tell(lines), ['ADDED b']);
    });

  test('of any name but one sees the others', () => {
    const { ask, watch } = createTestPlane();
    const { lines } = watch(`${CONFIGS}?watch=1&fieldSelector=metadata.name!%3Db`);
    for (const name of ['a', 'b']) ask('POST', CONFIGS, config(name));
    assert.deepEqual(tell(lines), ['ADDED a']);
  });

  test('tells where it stands when asked for bookmarks, also when nothing happens', () => {
    const { store, clock, watch } = createTestPlane();
    const { lines } = watch(`${CONFIGS}?watch=1&resourceVersion=${store.revision}&allowWatchBookmarks=true`);
    clock.advance(30_000);
    assert.ok(lines.length >= 2);
    assert.ok(lines.every((line) => at(line, 'type') === 'BOOKMARK'));
    assert.equal(at(lines[0], 'object.metadata.resourceVersion'), String(store.revision));
    assert.equal(at(lines[0], 'object.kind'), 'ConfigMap');
  });

  test('ends at its time, with a last bookmark, and leaves no timer behind', () => {
    const { store, clock, watch } = createTestPlane();
    const { lines, isEnded } = watch(
      `${CONFIGS}?watch=1&resourceVersion=${store.revision}&allowWatchBookmarks=true&timeoutSeconds=5`,
    );
    clock.advance(4_999);
    assert.equal(isEnded(), false);
    clock.advance(1);
    assert.equal(isEnded(), true);
    assert.deepEqual(
      lines.map((line) => at(line, 'type')),
      ['BOOKMARK'],
    );
    assert.equal(clock.timers, 0);
  });

  test('that is hung up on leaves nothing behind', () => {
    const { ask, clock, watch } = createTestPlane();
    const { lines, stop } = watch(`${CONFIGS}?watch=1&allowWatchBookmarks=true`);
    stop();
    ask('POST', CONFIGS, config('a'));
    assert.deepEqual(lines, []);
    assert.equal(clock.timers, 0);
  });

  test('ends when the server closes', () => {
    const { api, watch } = createTestPlane();
    const { isEnded } = watch(`${CONFIGS}?watch=1`);
    api.close();
    assert.equal(isEnded(), true);
  });

  test('with initial events says where they end', () => {
    const { ask, watch } = createTestPlane();
    ask('POST', CONFIGS, config('a'));
    const { lines } = watch(
      `${CONFIGS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    assert.deepEqual(
      lines.map((line) => at(line, 'type')),
      ['ADDED', 'BOOKMARK'],
    );
    assert.deepEqual(at(lines[1], 'object.metadata.annotations'), { 'k8s.io/initial-events-end': 'true' });
  });

  test('from a version older than history ends at once with an error of 410', () => {
    const { ask, watch } = createTestPlane({ historyMax: 2 });
    for (let index = 0; index < 9; index += 1) ask('POST', CONFIGS, config(`c${index}`));
    const { status, lines, isEnded } = watch(`${CONFIGS}?watch=1&resourceVersion=1`);
    assert.equal(status, 200);
    assert.equal(lines[0]?.['type'], 'ERROR');
    assert.equal(at(lines[0], 'object.reason'), 'Expired');
    assert.equal(at(lines[0], 'object.code'), 410);
    assert.equal(isEnded(), true);
  });

  test('from a version that is yet to come waits for it, and tells of what comes after', () => {
    const { ask, watch, store } = createTestPlane();
    const { lines, isEnded } = watch(`${CONFIGS}?watch=1&resourceVersion=${store.revision + 1}`);
    ask('POST', CONFIGS, config('at'));
    assert.deepEqual(lines, []);
    ask('POST', CONFIGS, config('after'));
    assert.equal(at(lines[0], 'object.metadata.name'), 'after');
    assert.equal(isEnded(), false);
  });

  test('from something that is no version is refused', () => {
    const { watch } = createTestPlane();
    assert.equal(watch(`${CONFIGS}?watch=1&resourceVersion=abc`).status, 500);
  });
});

describe('our cache', () => {
  const startCache = (options: { historyMax?: number } = {}) => {
    const plane = createTestPlane(options);
    const relists: RelistCause[] = [];
    const metrics = {
      relisted: (_: string, cause: RelistCause) => void relists.push(cause),
      handlerFailed: () => undefined,
    };
    const { client, clock, random } = plane;
    const cache = createCache<Node>({ client, clock, random, logger: silentLogger, resource: NODES, metrics });
    const stop = new AbortController();
    const ended = cache.run(stop.signal);
    return { ...plane, cache, relists, stop, ended };
  };

  test('follows the API, over the end of a watch, without listing again', async () => {
    const { cache, ask, clock, relists, settle, stop, ended } = startCache();
    await settle();
    ask('POST', '/api/v1/nodes', { metadata: { name: 'a' } });
    for (let seconds = 0; seconds < 900; seconds += 6) {
      clock.advance(6_000);
      await settle();
    }
    ask('POST', '/api/v1/nodes', { metadata: { name: 'b' } });
    ask('DELETE', '/api/v1/nodes/a');
    await settle();
    assert.deepEqual(
      cache.list().map(({ metadata }) => metadata.name),
      ['b'],
    );
    assert.deepEqual(relists, ['start']);
    stop.abort();
    await ended;
  });
});
