import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Transport, TransportRequest } from '../client/transport.ts';
import { createHarness, type HarnessOptions, WIDGETS, type Widget } from '../testing/harness.ts';
import { createCache, dropManagedFields } from './cache.ts';
import type { Change } from './object-store.ts';
import type { RelistCause } from './reflector.ts';

const isWatch = ({ path }: TransportRequest): boolean => path.includes('watch=');
const reset = (): FleetError => new FleetError('unavailable', { code: 'ConnectionReset', message: 'connection reset' });

const startCache = (options: HarnessOptions = {}) => {
  const harness = createHarness(options);
  const relists: RelistCause[] = [];
  let handlerFailures = 0;
  const metrics = {
    relisted: (_: string, cause: RelistCause) => void relists.push(cause),
    handlerFailed: () => {
      handlerFailures += 1;
    },
  };
  const { client, clock, random } = harness;
  const cache = createCache<Widget>({
    client,
    clock,
    random,
    logger: silentLogger,
    resource: WIDGETS,
    metrics,
    transform: dropManagedFields,
    indexes: { size: ({ spec }) => (spec?.size === undefined ? [] : [String(spec.size)]) },
  });
  const seen: string[] = [];
  cache.subscribe((change) => void seen.push(describeChange(change)));
  const ended = cache.run(harness.stop.signal);
  return { ...harness, cache, relists, seen, ended, failures: () => handlerFailures };
};

const describeChange = (change: Change<Widget>): string => {
  const { metadata, spec } = change.type === 'deleted' ? change.old : change.object;
  const before = change.type === 'updated' ? `${change.old.spec?.size}→` : '';
  return `${change.type} ${metadata.name} ${before}${spec?.size}`;
};

describe('cache', () => {
  it('holds what was there and follows what changes, showing old and new', async () => {
    const { create, resize, remove, advance, cache, seen } = startCache();
    await create('a', { size: 1 });
    await advance(0);
    await resize('a', 2);
    await remove('a');
    await advance(0);
    assert.deepEqual(seen, ['added a 1', 'updated a 1→2', 'deleted a 2']);
    assert.equal(cache.size, 0);
  });

  it('tells a late subscriber of everything held', async () => {
    const { create, advance, cache } = startCache();
    await create('a');
    await advance(0);
    const late: string[] = [];
    cache.subscribe((change) => void late.push(change.type));
    assert.deepEqual(late, ['added']);
  });

  it('survives a handler that throws: logs it, counts it, tells the others', async () => {
    const { create, advance, cache, seen, failures } = startCache();
    cache.subscribe(() => {
      throw new Error('handler bug');
    });
    await create('a', { size: 1 });
    await create('b', { size: 2 });
    await advance(0);
    assert.equal(seen.length, 2);
    assert.ok(failures() >= 2);
  });

  it('is synced only after the first complete list', async () => {
    let isBlocked = true;
    const { cache, advance, stop } = startCache({
      intercept: () => {
        if (isBlocked) throw reset();
      },
    });
    await advance(0);
    assert.equal(cache.synced, false);
    isBlocked = false;
    for (let second = 0; second < 60; second += 1) await advance(1_000);
    await cache.whenSynced(stop.signal);
    assert.equal(cache.synced, true);
  });

  it('resumes after the server ended the watch, without another list', async () => {
    const { create, advance, api, relists, seen } = startCache();
    await create('a', { size: 1 });
    await advance(2_000);
    api.bookmarkAll();
    api.endWatches();
    await create('b', { size: 2 });
    await advance(1_000);
    assert.deepEqual(seen, ['added a 1', 'added b 2']);
    assert.deepEqual(relists, ['start']);
  });

  it('reads the list again after 410, telling only what changed', async () => {
    const { create, advance, api, relists, seen } = startCache();
    await create('a', { size: 1 });
    await create('b', { size: 2 });
    await advance(2_000);
    api.endWatches();
    api.handle({ method: 'DELETE', path: '/apis/example.com/v1/namespaces/ns/widgets/b' });
    const c = JSON.stringify({ metadata: { name: 'c' }, spec: { size: 3 } });
    api.handle({ method: 'POST', path: '/apis/example.com/v1/namespaces/ns/widgets', body: c });
    api.compact();
    await advance(2_000);
    await advance(60_000);
    assert.deepEqual(relists, ['start', 'expired']);
    assert.deepEqual(seen, ['added a 1', 'added b 2', 'added c 3', 'deleted b 2']);
  });

  it('treats an ERROR event inside a running watch like the refusal it is', async () => {
    const gone = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    let isBroken = true;
    const wrap = (inner: Transport): Transport => ({
      ...inner,
      send: async (request) => {
        if (!isWatch(request) || !isBroken) return inner.send(request);
        isBroken = false;
        return { status: 200, headers: {}, body: lines(JSON.stringify(gone)) };
      },
    });
    const { create, advance, relists, cache } = startCache({ wrap });
    await create('a');
    await advance(30_000);
    await advance(0);
    assert.deepEqual(relists, ['start', 'expired']);
    assert.equal(cache.size, 1);
  });

  const troubles: readonly { readonly story: string; readonly meet: () => never }[] = [
    {
      story: 'connection resets',
      meet: () => {
        throw reset();
      },
    },
    {
      story: 'HTTP 500s',
      meet: () => {
        throw new FleetError('unavailable', { code: 'ServerError', message: '500' });
      },
    },
    {
      story: 'refused credentials',
      meet: () => {
        throw new FleetError('denied', { code: 'Unauthorized', message: '401' });
      },
    },
    {
      story: 'throttling',
      meet: () => {
        throw new FleetError('throttled', { code: 'TooManyRequests', message: '429', retryAfterMs: 5_000 });
      },
    },
    {
      story: 'HTML instead of JSON',
      meet: () => {
        throw new FleetError('contract', { code: 'HtmlAnswer', message: '<html>' });
      },
    },
    {
      story: 'bugs in the transport',
      meet: () => {
        throw new TypeError('undefined is not a function');
      },
    },
  ];
  for (const { story, meet } of troubles) {
    it(`outlives twenty ${story} in a row and then knows everything`, async () => {
      let left = 0;
      const { create, advance, cache, api } = startCache({
        intercept: (request) => {
          if (!request.method.startsWith('GET') || left === 0) return;
          left -= 1;
          meet();
        },
      });
      await create('a');
      await advance(2_000);
      left = 20;
      api.endWatches();
      await create('b');
      for (let second = 0; second < 1_800; second += 10) await advance(10_000);
      assert.equal(left, 0);
      assert.equal(cache.size, 2);
    });
  }

  it('notices within a minute that a watch is dead although its connection is open', async () => {
    let isFrozen = true;
    const wrap = (inner: Transport): Transport => ({
      ...inner,
      send: (request) =>
        isWatch(request) && isFrozen
          ? Promise.resolve({ status: 200, headers: {}, body: silence(request.signal) })
          : inner.send(request),
    });
    const { create, advance, cache } = startCache({ wrap });
    await advance(1_000);
    await create('a');
    isFrozen = false;
    await advance(59_000);
    for (let second = 0; second < 5; second += 1) await advance(1_000);
    assert.equal(cache.size, 1);
  });

  it('starts over when an event is older than where the watch began: the history is another one', async () => {
    const old = { type: 'MODIFIED', object: { metadata: { namespace: 'ns', name: 'a', resourceVersion: '1' } } };
    let watches = 0;
    const wrap = (inner: Transport): Transport => ({
      ...inner,
      send: (request) => {
        if (!isWatch(request)) return inner.send(request);
        watches += 1;
        if (watches !== 2) return inner.send(request);
        return Promise.resolve({ status: 200, headers: {}, body: lines(`${JSON.stringify(old)}\n`) });
      },
    });
    const { create, advance, relists, cache, api } = startCache({ wrap });
    await create('a');
    await advance(2_000);
    api.endWatches();
    await advance(0);
    assert.deepEqual(relists, ['start', 'went-back']);
    assert.equal(cache.get('ns/a')?.metadata.resourceVersion, '2');
  });

  it('starts over when the server is behind where the watch was that broke, and before it has caught up', async () => {
    const { create, remove, advance, relists, cache, api } = startCache();
    await create('a');
    await create('b');
    const backup = api.snapshot();
    await create('ghost');
    await remove('a');
    await advance(2_000);
    assert.equal(cache.get('ns/ghost')?.metadata.name, 'ghost');
    api.restore(backup);
    await advance(1_000);
    assert.deepEqual(relists, ['start', 'went-back']);
    assert.deepEqual(
      cache.list().map(({ metadata }) => metadata.name),
      ['b', 'a'],
    );
  });

  it('waits as long as a throttling server asks it to', async () => {
    let watches = 0;
    const { advance, api } = startCache({
      intercept: (request) => {
        if (!isWatch(request)) return;
        watches += 1;
        if (watches > 1) {
          throw new FleetError('throttled', { code: 'TooManyRequests', message: '429', retryAfterMs: 20_000 });
        }
      },
    });
    await advance(2_000);
    api.endWatches();
    await advance(0);
    for (let second = 0; second < 19; second += 1) await advance(1_000);
    assert.equal(watches, 2);
    await advance(2_000);
    assert.equal(watches, 3);
  });

  it('does not spin when every watch ends at once', async () => {
    let watches = 0;
    const wrap = (inner: Transport): Transport => ({
      ...inner,
      send: (request) => {
        if (!isWatch(request)) return inner.send(request);
        watches += 1;
        return Promise.resolve({ status: 200, headers: {}, body: lines() });
      },
    });
    const { advance } = startCache({ wrap });
    for (let second = 0; second < 300; second += 1) await advance(1_000);
    assert.ok(watches > 5 && watches < 60, `${watches} watches in five minutes`);
  });

  it('reads the list again when watches live their time but say nothing at all', async () => {
    const wrap = (inner: Transport): Transport => ({
      ...inner,
      send: (request) =>
        isWatch(request)
          ? Promise.resolve({ status: 200, headers: {}, body: silentUntilEnded(request.signal, ended) })
          : inner.send(request),
    });
    const ended: (() => void)[] = [];
    const { advance, relists } = startCache({ wrap });
    for (let round = 0; round < 2; round += 1) {
      await advance(50_000);
      for (const end of ended.splice(0)) end();
    }
    await advance(0);
    assert.deepEqual(relists, ['start', 'silent']);
  });

  it('takes half a line at the end of a watch as a cut connection, not as data', async () => {
    let isFirst = true;
    const wrap = (inner: Transport): Transport => ({
      ...inner,
      send: (request) => {
        if (!isWatch(request) || !isFirst) return inner.send(request);
        isFirst = false;
        return Promise.resolve({ status: 200, headers: {}, body: lines('{"type":"ADDED","object":{"metadata":{"na') });
      },
    });
    const { create, advance, cache, relists } = startCache({ wrap });
    await create('a');
    await advance(10_000);
    await advance(0);
    assert.equal(cache.get('ns/a')?.metadata.name, 'a');
    assert.deepEqual(relists, ['start']);
  });

  it('keeps indexes in step', async () => {
    const { create, resize, advance, cache } = startCache();
    await create('a', { size: 1 });
    await advance(0);
    await resize('a', 2);
    await advance(0);
    assert.equal(cache.byIndex('size', '1').length, 0);
    assert.equal(cache.byIndex('size', '2').length, 1);
  });

  it('ends when told to, and leaves no timer behind', async () => {
    const { advance, stop, ended, clock } = startCache();
    await advance(0);
    stop.abort();
    await ended;
    assert.equal(clock.timers, 0);
  });
});

describe('fences', () => {
  it('are reached when the cache has seen the write, not before', async () => {
    let isHeld = false;
    const held: (() => void)[] = [];
    const { create, advance, cache, api } = startCache({
      intercept: (request) => (isWatch(request) && isHeld ? new Promise((resolve) => held.push(resolve)) : undefined),
    });
    await advance(2_000);
    api.bookmarkAll();
    isHeld = true;
    api.endWatches();
    await advance(0);
    const fence = cache.fenceAfter(await create('a'));
    await advance(0);
    assert.equal(cache.hasReached(fence), false);
    for (const release of held) release();
    await advance(0);
    assert.equal(cache.hasReached(fence), true);
  });

  it('are reached by a bookmark when the write is outside what the cache watches', async () => {
    const { advance, cache, api } = startCache();
    await advance(0);
    api.handle({
      method: 'POST',
      path: '/api/v1/namespaces/ns/pods',
      body: JSON.stringify({ metadata: { name: 'x' } }),
    });
    const fence = cache.fenceAfter({ metadata: { name: 'x', resourceVersion: String(api.revision) } });
    assert.equal(cache.hasReached(fence), false);
    api.bookmarkAll();
    await advance(0);
    assert.equal(cache.hasReached(fence), true);
  });

  it('after a delete wait until the object is gone or going', async () => {
    const { create, remove, advance, cache, api } = startCache();
    await create('a');
    await advance(0);
    const fence = cache.fenceAfterDelete('ns/a');
    assert.equal(cache.hasReached(fence), false);
    await remove('a');
    await advance(0);
    assert.equal(cache.hasReached(fence), true);
    assert.equal(api.objects('/apis/example.com/v1/widgets').length, 0);
  });

  it('are cleared by a list that goes back in time', async () => {
    const { create, resize, advance, cache, api, relists } = startCache();
    await create('a', { size: 1 });
    await advance(0);
    const backup = api.snapshot();
    await resize('a', 2);
    await resize('a', 3);
    const fence = cache.fenceAfter(await resize('a', 4));
    await advance(2_000);
    api.restore(backup);
    api.compact();
    await create('b', { size: 9 });
    for (let minute = 0; minute < 5; minute += 1) await advance(60_000);
    assert.equal(cache.get('ns/a')?.spec?.size, 1);
    assert.equal(cache.get('ns/b')?.spec?.size, 9);
    assert.ok(api.revision < fence.revision);
    assert.equal(cache.hasReached(fence), true);
    assert.ok(relists.length >= 2);
  });
});

describe('dropManagedFields', () => {
  it('drops them and nothing else', () => {
    const object = {
      metadata: { name: 'a', labels: { x: 'y' }, managedFields: [{ manager: 'kubectl' }] },
      spec: { size: 1 },
    };
    assert.deepEqual(dropManagedFields(object), { metadata: { name: 'a', labels: { x: 'y' } }, spec: { size: 1 } });
  });
});

async function* lines(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* silence(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(reset()), { once: true }));
}

async function* silentUntilEnded(signal: AbortSignal, ends: (() => void)[]): AsyncGenerator<Uint8Array> {
  await new Promise<void>((resolve) => {
    ends.push(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
