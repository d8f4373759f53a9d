/** The cache on a real API server: thousands of objects, every kind of trouble in between, and our own writes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_MAPS, type ConfigMap, EVENTS } from '../../src/kube/types/core.ts';
import { type FaultProxy, startFaultProxy } from './bench/fault-proxy.ts';
import type { Fault } from './bench/fault-switch.ts';
import { compactEtcd } from './kube/etcd.ts';
import { createEvent, createMap, forEachNumber } from './kube/objects.ts';
import { connect, createHurriedClock, eventually, openScene, type Scene } from './kube/scene.ts';
import { assertHoldsTruth, runCache } from './kube/truth.ts';

const openProxy = async ({ cluster, undo }: Scene): Promise<FaultProxy> => {
  const proxy = await startFaultProxy(cluster);
  undo(() => proxy.close());
  return proxy;
};

/** Creates, changes and deletes, so that every kind of event is among what a cache must learn. */
const churn = async (scene: Scene, round: string): Promise<void> => {
  const { client, namespace, signal } = scene;
  await forEachNumber(
    30,
    async (number) => {
      const { metadata } = await createMap(scene, `${round}-${number}`);
      if (number % 3 === 0) await client.delete(CONFIG_MAPS, metadata, { signal });
      if (number % 3 === 1) {
        const body = { data: { round } };
        await client.patch(CONFIG_MAPS, { namespace, name: metadata.name }, { type: 'merge', body }, { signal });
      }
    },
    signal,
  );
};

describe('a cache', () => {
  it('follows 5,000 objects and 2,000 changes', { timeout: 90_000 }, async (t) => {
    const scene = await openScene(t);
    const { client, signal } = scene;
    const early = await runCache(scene, { client, resource: CONFIG_MAPS });
    const startedMs = performance.now();
    await forEachNumber(5_000, (number) => createMap(scene, `map-${number}`, 1_000), signal);
    const createdMs = performance.now();
    await assertHoldsTruth(scene, early);
    const late = await runCache(scene, { client, resource: CONFIG_MAPS });
    const listedMs = performance.now();
    await assertHoldsTruth(scene, late);
    await forEachNumber(2_000, (number) => change(scene, number), signal);
    const changedMs = performance.now();
    await assertHoldsTruth(scene, early);
    await assertHoldsTruth(scene, late);
    assert.deepEqual([early.relists, late.relists], [['start'], ['start']]);
    const second = (fromMs: number, toMs: number): string => `${((toMs - fromMs) / 1_000).toFixed(1)} s`;
    t.diagnostic(`5,000 created in ${second(startedMs, createdMs)}, 2,000 changed in ${second(listedMs, changedMs)}`);
  });

  /** One after the other: a fault, changes meanwhile, the fault is lifted. In the end nothing may be missing. */
  const faults: readonly { story: string; fault: Fault }[] = [
    { story: 'its watches are reset', fault: { what: 'reset', on: ['watch'] } },
    {
      story: 'its watches are cut after some bytes, in the middle of an event',
      fault: { what: 'reset', on: ['watch'], afterBytes: 700 },
    },
    { story: 'its watches are answered by 500', fault: { what: 'answer', status: 500, on: ['watch'] } },
    {
      story: 'everything is answered by 429 with a time to wait',
      fault: { what: 'answer', status: 429, retryAfterSeconds: 1 },
    },
    { story: 'its watches are called expired', fault: { what: 'answer', status: 410, on: ['watch'], times: 1 } },
    { story: 'everything is slow', fault: { what: 'delay', ms: 300 } },
  ];
  for (const { story, fault } of faults) {
    it(`holds the truth again after ${story}`, async (t) => {
      const scene = await openScene(t);
      const proxy = await openProxy(scene);
      const { client } = await connect(t, proxy.kubeconfig);
      const running = await runCache(scene, { client, resource: CONFIG_MAPS });
      await churn(scene, 'before');
      cutWatches(proxy, fault);
      await churn(scene, 'during');
      await eventually('the fault was met', () => proxy.hits > 0);
      await churn(scene, 'late');
      proxy.clear();
      await churn(scene, 'after');
      await assertHoldsTruth(scene, running);
    });
  }

  it('holds the truth again after its watches were frozen', async (t) => {
    const scene = await openScene(t);
    const proxy = await openProxy(scene);
    const { client } = await connect(t, proxy.kubeconfig);
    const running = await runCache(scene, { client, resource: CONFIG_MAPS, clock: createHurriedClock(20) });
    await churn(scene, 'before');
    await assertHoldsTruth(scene, running);
    proxy.set({ what: 'frozen' });
    await churn(scene, 'during');
    await eventually('a second watch, frozen from its start, was met', () => proxy.hits > 0);
    proxy.clear();
    await assertHoldsTruth(scene, running);
  });

  it('holds the truth again after a list that was older than what it held', async (t) => {
    const scene = await openScene(t);
    const proxy = await openProxy(scene);
    const { client } = await connect(t, proxy.kubeconfig);
    const running = await runCache(scene, { client, resource: CONFIG_MAPS });
    await churn(scene, 'before');
    await assertHoldsTruth(scene, running);
    cutWatches(proxy, { what: 'answer', status: 410, on: ['watch'], times: 1 });
    await eventually('its watch is expired', () => proxy.hits > 0);
    proxy.set({ what: 'stale-list' });
    await eventually('it was given the old list', () => proxy.hits > 0);
    await assertHoldsTruth(scene, running);
    assert.deepEqual(running.relists, ['start', 'expired']);
  });

  it('reads the list anew when etcd forgot where its watch was', async (t) => {
    const scene = await openScene(t);
    const proxy = await openProxy(scene);
    const { client } = await connect(t, proxy.kubeconfig);
    await forEachNumber(10, (number) => createEvent(scene, `before-${number}`), t.signal);
    const running = await runCache(scene, { client, resource: EVENTS });
    proxy.set({ what: 'reset', on: ['watch'] });
    await forEachNumber(10, (number) => createEvent(scene, `during-${number}`), t.signal);
    await scene.client.delete(EVENTS, { namespace: scene.namespace, name: 'before-3' }, { signal: t.signal });
    await compactEtcd(scene.cluster.etcdUrl);
    proxy.clear();
    await assertHoldsTruth(scene, running);
    assert.deepEqual(running.relists, ['start', 'expired']);
  });

  it('knows whether it has seen a write of ours', async (t) => {
    const scene = await openScene(t);
    const { namespace, signal } = scene;
    const proxy = await openProxy(scene);
    const { client } = await connect(t, proxy.kubeconfig);
    const { cache } = await runCache(scene, { client, resource: CONFIG_MAPS, clock: createHurriedClock(20) });
    const made = await createMap(scene, 'one');
    const fence = cache.fenceAfter(made);
    await eventually('it has seen the first write', () => cache.hasReached(fence));
    assert.deepEqual(cache.get(`${namespace}/one`), made);
    proxy.set({ what: 'frozen' });
    const body = { data: { text: 'changed' } };
    const written = await client.patch(CONFIG_MAPS, { namespace, name: 'one' }, { type: 'merge', body }, { signal });
    await client.delete(CONFIG_MAPS, { namespace, name: 'one' }, { signal });
    const fences = [cache.fenceAfter(written), cache.fenceAfterDelete(`${namespace}/one`)];
    assert.deepEqual(
      fences.map((fence) => cache.hasReached(fence)),
      [false, false],
    );
    proxy.clear();
    await eventually('it has seen both', () => fences.every((fence) => cache.hasReached(fence)));
    assert.equal(cache.get(`${namespace}/one`), undefined);
  });
});

const change = async (scene: Scene, number: number): Promise<unknown> => {
  const { client, namespace, signal } = scene;
  const key = { namespace, name: `map-${number}` };
  if (number % 4 === 0) return client.delete(CONFIG_MAPS, key, { signal });
  if (number % 4 === 1) return createMap(scene, `extra-${number}`, 1_000);
  return client.patch<ConfigMap>(CONFIG_MAPS, key, { type: 'merge', body: { data: { n: `${number}` } } }, { signal });
};

/** An open watch goes on under some faults; this one ends, and its next meets the fault. */
const cutWatches = (proxy: FaultProxy, then: Fault): void => {
  proxy.set({ what: 'reset', on: ['watch'] });
  proxy.set(then);
};
