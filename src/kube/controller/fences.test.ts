import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { type Cache, createCache } from '../cache/cache.ts';
import type { TransportRequest } from '../client/transport.ts';
import { createHarness, WIDGETS, type Widget } from '../testing/harness.ts';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import { createController, type ReconcileContext, watchMapped, watchPrimary } from './controller.ts';
import { createFences } from './fences.ts';

const PARTS: Resource<KubeObject> = { ...WIDGETS, kind: 'Part', plural: 'parts' };
const PART_COLLECTION = '/apis/example.com/v1/parts';
const OWNER = 'example.com/widget';

const ownerOf = ({ metadata }: KubeObject): readonly string[] => {
  const owner = metadata.labels?.[OWNER];
  return owner === undefined ? [] : [`ns/${owner}`];
};

/** Keeps `spec.size` parts per widget, deciding by what the cache of parts shows. */
const keepParts = (widgets: Cache<Widget>, parts: Cache<KubeObject>) => {
  let passes = 0;
  const reconcile = async ({ key, kube, signal }: ReconcileContext) => {
    passes += 1;
    const widget = widgets.get(key);
    const mine = parts.byIndex('owner', key);
    const name = widget?.metadata.name ?? '';
    for (let missing = (widget?.spec?.size ?? 0) - mine.length; missing > 0; missing -= 1) {
      const metadata = { name: `part-${passes}-${missing}`, namespace: 'ns', labels: { [OWNER]: name } };
      await kube.create(PARTS, { metadata }, { signal });
    }
    for (const extra of mine.slice(widget?.spec?.size ?? 0)) {
      await kube.delete(PARTS, { namespace: 'ns', name: extra.metadata.name }, { signal });
    }
    return { next: 'rest' } as const;
  };
  return { reconcile, passes: () => passes };
};

const startPartsController = async () => {
  let isStale = false;
  const held: (() => void)[] = [];
  const harness = createHarness({
    intercept: ({ path }: TransportRequest) =>
      isStale && path.includes('/parts') && path.includes('watch=')
        ? new Promise((resolve) => held.push(resolve))
        : undefined,
  });
  const { client, clock, random, stop, api, advance } = harness;
  const widgets = createCache<Widget>({ client, clock, random, logger: silentLogger, resource: WIDGETS });
  const parts = createCache({
    client,
    clock,
    random,
    logger: silentLogger,
    resource: PARTS,
    indexes: { owner: ownerOf },
  });
  const { reconcile, passes } = keepParts(widgets, parts);
  const mapParts = watchMapped(parts, (change) => ownerOf(change.type === 'deleted' ? change.old : change.object));
  const controller = createController({ name: 'parts', watches: [watchPrimary(widgets), mapParts], reconcile });
  const deps = { client, clock, random, logger: silentLogger, permit: () => undefined };
  const running = [widgets.run(stop.signal), parts.run(stop.signal), controller.run(deps, stop.signal)];
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await advance(0);
  };
  await settle();
  return {
    ...harness,
    settle,
    running,
    passes,
    stored: () => api.objects(PART_COLLECTION).length,
    deletes: () => api.writes.filter(({ method, path }) => method === 'DELETE' && path.includes('/parts/')),
    /** From here on the cache of parts learns nothing more. */
    goStale: async () => {
      await advance(2_000);
      api.bookmarkAll();
      await settle();
      isStale = true;
      api.endWatches();
      await settle();
    },
    catchUp: async () => {
      isStale = false;
      for (const release of held.splice(0)) release();
      await settle();
    },
  };
};

describe('a controller with a stale cache', () => {
  it('does not create again what it already created', async () => {
    const scene = await startPartsController();
    await scene.goStale();
    await scene.create('a', { size: 2 });
    await scene.settle();
    assert.equal(scene.stored(), 2);
    const signal = scene.stop.signal;
    const labels = { metadata: { labels: { touched: 'yes' } } };
    await scene.client.patch(WIDGETS, { namespace: 'ns', name: 'a' }, { type: 'merge', body: labels }, { signal });
    await scene.settle();
    assert.equal(scene.stored(), 2);
    await scene.catchUp();
    assert.equal(scene.stored(), 2);
  });

  it('does not delete again what it already deleted', async () => {
    const scene = await startPartsController();
    await scene.create('a', { size: 2 });
    await scene.settle();
    await scene.goStale();
    await scene.resize('a', 1);
    await scene.settle();
    assert.equal(scene.deletes().length, 1);
    await scene.resize('a', 1);
    const signal = scene.stop.signal;
    const labels = { metadata: { labels: { touched: 'yes' } } };
    await scene.client.patch(WIDGETS, { namespace: 'ns', name: 'a' }, { type: 'merge', body: labels }, { signal });
    await scene.settle();
    assert.equal(scene.deletes().length, 1);
  });

  it('waits for nothing more when another object bore the name before the delete was answered', async () => {
    const { client, clock, random, stop, advance, create, remove } = createHarness();
    const widgets = createCache<Widget>({ client, clock, random, logger: silentLogger, resource: WIDGETS });
    const running = widgets.run(stop.signal);
    await create('a');
    await advance(0);
    const fences = createFences([widgets]);
    const answered = fences.deleting('ns/owner', WIDGETS, 'ns/a');
    await remove('a');
    await create('a');
    await advance(0);
    answered();
    assert.equal(fences.isClear('ns/owner'), true);
    stop.abort();
    await running;
  });

  it('looks once more when the cache has caught up, and then rests', async () => {
    const scene = await startPartsController();
    await scene.goStale();
    await scene.create('a', { size: 2 });
    await scene.settle();
    await scene.resize('a', 3);
    await scene.settle();
    assert.equal(scene.stored(), 2);
    await scene.catchUp();
    assert.equal(scene.stored(), 3);
    const before = scene.passes();
    for (let round = 0; round < 5; round += 1) {
      scene.api.bookmarkAll();
      await scene.settle();
    }
    assert.equal(scene.passes(), before);
  });
});
