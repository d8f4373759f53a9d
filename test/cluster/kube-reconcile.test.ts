/** A controller on our runtime against a real API server: finalizer, status, events, and caches that are late. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createSystemClock, sleep } from '../../src/base/clock.ts';
import { createIds } from '../../src/base/ids.ts';
import { createCache } from '../../src/kube/cache/cache.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { createKubeClient } from '../../src/kube/client/create-client.ts';
import type { Transport } from '../../src/kube/client/transport.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../../src/kube/controller/controller.ts';
import { createEventRecorder } from '../../src/kube/controller/events.ts';
import { reconcileLifecycle, type Step } from '../../src/kube/controller/lifecycle.ts';
import { done } from '../../src/kube/controller/outcome.ts';
import { createManager, type ManagerOptions } from '../../src/kube/manager/manager.ts';
import { CONFIG_MAPS, type ConfigMap, EVENTS } from '../../src/kube/types/core.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../src/kube/types/resource.ts';
import { defineGadgets, type Gadget } from './kube/gadgets.ts';
import { forEachNumber } from './kube/objects.ts';
import { connect, eventually, openScene, parts, type Scene } from './kube/scene.ts';

const FINALIZER = 'example.com/workshop';

/** The same events as the newer API shows them. */
const NEW_EVENTS: Resource<KubeObject & { readonly note?: string; readonly regarding?: { readonly uid?: string } }> = {
  ...EVENTS,
  group: 'events.k8s.io',
};

/** Runs until the test ends. */
const runManager = (
  { undo }: Scene,
  options: Pick<ManagerOptions, 'client' | 'caches' | 'controllers' | 'events'>,
): void => {
  const stop = new AbortController();
  const running = createManager({ ...parts(), name: 'workshop', ...options }).run(stop.signal);
  undo(async () => {
    stop.abort();
    await running;
  });
};

interface Workshop {
  readonly gadgets: Resource<Gadget>;
  readonly controller: Controller;
  /** What was built outside the cluster, by gadget. */
  readonly built: ReadonlyMap<string, number>;
  /** Passes so far. */
  passes(): number;
  /** Writes that its client sent so far. */
  writes(): number;
}

/** Builds a gadget outside, says so in its status and by an event, and scraps it when it is deleted. */
const openWorkshop = async (t: TestContext, scene: Scene): Promise<Workshop> => {
  const { cluster, namespace, signal } = scene;
  const gadgets = await defineGadgets(scene);
  const methods: string[] = [];
  const { client } = await connect(t, cluster.kubeconfig, { onResponse: ({ method }) => methods.push(method) });
  const built = new Map<string, number>();
  let passes = 0;
  const build: Step<Gadget> = {
    name: 'build',
    condition: 'Built',
    run: async ({ metadata, spec }) => {
      passes += 1;
      const size = spec?.size ?? 0;
      const isNew = built.get(metadata.name) !== size;
      built.set(metadata.name, size);
      return done<Gadget>({
        status: { built: size },
        condition: { type: 'Built', status: 'True', reason: 'Built', message: '' },
        ...(isNew ? { events: [{ type: 'Normal', reason: 'Built', message: `built in size ${size}` }] } : {}),
      });
    },
  };
  const scrap: Step<Gadget> = {
    name: 'scrap',
    condition: 'Built',
    run: async ({ metadata }) => {
      built.delete(metadata.name);
      return done({ events: [{ type: 'Normal', reason: 'Scrapped', message: 'scrapped' }] });
    },
  };
  const cache = createCache<Gadget>({ ...parts(), client, resource: gadgets, namespace });
  const { random } = parts();
  const events = createEventRecorder({ ...parts(), client, ids: createIds(random), component: 'workshop', signal });
  const reconcile = reconcileLifecycle({ cache, events, finalizer: FINALIZER, up: [build], down: [scrap] });
  const controller = createController({ name: 'gadgets', watches: [watchPrimary(cache)], reconcile });
  runManager(scene, { client, caches: [cache], controllers: [controller], events });
  const writes = (): number => methods.filter((method) => method !== 'GET').length;
  return { gadgets, controller, built, passes: () => passes, writes };
};

const untilBuilt = ({ client, namespace, signal }: Scene, gadgets: Resource<Gadget>, size: number): Promise<Gadget> =>
  eventually(`built in size ${size}`, async () => {
    const gadget = await client.get(gadgets, { namespace, name: 'one' }, { signal });
    return gadget.status?.built === size ? gadget : undefined;
  });

describe('a reconcile', () => {
  it('holds its finalizer, stores its status, and lets go when it has cleaned up', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const { gadgets, built } = await openWorkshop(t, scene);
    const key = { namespace, name: 'one' };
    await client.create(gadgets, { metadata: key, spec: { size: 1 } }, { signal });
    const gadget = await untilBuilt(scene, gadgets, 1);
    assert.deepEqual(gadget.metadata.finalizers, [FINALIZER]);
    assert.partialDeepStrictEqual(gadget.status?.conditions, [
      { type: 'Built', status: 'True', observedGeneration: gadget.metadata.generation },
    ]);
    await client.patch(gadgets, key, { type: 'merge', body: { spec: { size: 2 } } }, { signal });
    const changed = await untilBuilt(scene, gadgets, 2);
    assert.equal(changed.status?.conditions?.[0]?.observedGeneration, 2);
    await client.delete(gadgets, key, { signal });
    await eventually('it is gone', () =>
      client.get(gadgets, key, { signal }).then(
        () => false,
        () => true,
      ),
    );
    assert.deepEqual([...built], []);
  });

  it('writes nothing when there is nothing new to say', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const { gadgets, controller, passes, writes } = await openWorkshop(t, scene);
    const key = { namespace, name: 'one' };
    await client.create(gadgets, { metadata: key, spec: { size: 1 } }, { signal });
    const { metadata } = await untilBuilt(scene, gadgets, 1);
    // The finalizer, the status, the event. A version alone would not tell: a patch that changes nothing leaves it.
    await eventually('all is said', () => writes() === 3);
    for (let round = 0; round < 5; round += 1) {
      const before = passes();
      controller.wake(`${namespace}/one`);
      await eventually('it was looked at again', () => passes() > before);
    }
    const { metadata: after } = await client.get(gadgets, key, { signal });
    assert.equal(after.resourceVersion, metadata.resourceVersion);
    assert.equal(writes(), 3);
  });

  it('tells events that the server stores, and shows in both of its APIs', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const { gadgets } = await openWorkshop(t, scene);
    const { metadata } = await client.create(
      gadgets,
      { metadata: { namespace, name: 'one' }, spec: { size: 7 } },
      { signal },
    );
    const event = await eventually('the event is there', async () => {
      const fieldSelector = `involvedObject.uid=${metadata.uid},reason=Built`;
      const { items } = await client.list(EVENTS, { namespace, fieldSelector, signal });
      return items[0];
    });
    assert.partialDeepStrictEqual(event, {
      type: 'Normal',
      message: 'built in size 7',
      count: 1,
      source: { component: 'workshop' },
      involvedObject: { apiVersion: apiVersionOf(gadgets), kind: 'Gadget', namespace, name: 'one' },
    });
    const shown = await client.get(NEW_EVENTS, { namespace, name: event.metadata.name }, { signal });
    assert.partialDeepStrictEqual(shown, { note: 'built in size 7', regarding: { uid: metadata.uid } });
  });
});

describe('a controller whose caches are late', () => {
  const LATE_MS = 150;
  const GADGETS = 10;

  it('does not do twice what it has done and not yet seen', async (t) => {
    const scene = await openScene(t);
    const { namespace, signal } = scene;
    const gadgets = await defineGadgets(scene);
    const metadata = (number: number) => ({ namespace, name: `gadget-${number}` });
    await forEachNumber(
      GADGETS,
      (number) => scene.client.create(gadgets, { metadata: metadata(number) }, { signal }),
      signal,
    );
    const { controller, passes } = await runParents(scene, gadgets, await lateClient(t, scene, LATE_MS));
    await eventually('every gadget was looked at often, also after its child was seen', () => {
      for (let number = 0; number < GADGETS; number += 1) controller.wake(`${namespace}/gadget-${number}`);
      return passes() > GADGETS * 4;
    });
    const { items } = await scene.client.list(CONFIG_MAPS, { namespace, labelSelector: 'child', signal });
    const parents = items.map(({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.name).sort();
    assert.deepEqual(
      parents,
      Array.from({ length: GADGETS }, (_, number) => `gadget-${number}`),
    );
  });

  /** Gives every gadget one child with a name of the server's making, so that a second one would be no conflict. */
  const runParents = async (scene: Scene, gadgets: Resource<Gadget>, client: KubeClient) => {
    const { namespace } = scene;
    const parents = createCache<Gadget>({ ...parts(), client, resource: gadgets, namespace });
    const children = createCache<ConfigMap>({
      ...{ ...parts(), client, resource: CONFIG_MAPS, namespace },
      indexes: { parent: ({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? [] },
    });
    let passes = 0;
    const controller = createController({
      name: 'parents',
      watches: [watchPrimary(parents), watchMapped(children, () => [])],
      reconcile: async ({ key, kube, signal }) => {
        const parent = parents.get(key);
        passes += 1;
        if (parent === undefined || children.byIndex('parent', parent.metadata.uid ?? '').length > 0)
          return { next: 'rest' };
        await kube.create(CONFIG_MAPS, childOf(gadgets, parent), { signal });
        return { next: 'rest' };
      },
    });
    runManager(scene, { client, caches: [parents, children], controllers: [controller] });
    return { controller, passes: () => passes };
  };
});

const childOf = ({ kind, ...gadgets }: Resource<Gadget>, { metadata }: Gadget): ConfigMap => {
  const owner = { apiVersion: apiVersionOf({ kind, ...gadgets }), kind, name: metadata.name, uid: metadata.uid ?? '' };
  const { namespace = '' } = metadata;
  return {
    metadata: { namespace, name: '', generateName: 'child-', labels: { child: 'yes' }, ownerReferences: [owner] },
  };
};

/** Hears of every change later than it happened. */
const lateClient = async (t: TestContext, { cluster }: Scene, lateMs: number): Promise<KubeClient> => {
  const { transport } = await connect(t, cluster.kubeconfig);
  async function* late(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      await sleep(createSystemClock(), lateMs, t.signal);
      yield chunk;
    }
  }
  const slow: Transport = {
    ...transport,
    send: async (request) => {
      const response = await transport.send(request);
      return request.path.includes('watch=1') ? { ...response, body: late(response.body) } : response;
    },
  };
  return createKubeClient({ ...parts(), transport: slow });
};
