/** Lists in pages and watches against a real API server, and what becomes of both when etcd forgets. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { isKind, toFleetError } from '../../src/base/errors.ts';
import type { KubeClient, WatchEvent } from '../../src/kube/client/client.ts';
import { createKubeClient } from '../../src/kube/client/create-client.ts';
import type { Transport } from '../../src/kube/client/transport.ts';
import { CONFIG_MAPS, EVENTS } from '../../src/kube/types/core.ts';
import type { KubeObject } from '../../src/kube/types/meta.ts';
import { compactEtcd } from './kube/etcd.ts';
import { defineGadgets } from './kube/gadgets.ts';
import { createEvent, createMap, forEachNumber } from './kube/objects.ts';
import { connect, eventually, openScene, parts, type Scene, versionsOf } from './kube/scene.ts';

/** A client that does something after each answer it gets, before it asks on. */
const clientWithPause = async (
  t: TestContext,
  { cluster }: Scene,
  afterAnswer: (path: string) => Promise<void>,
): Promise<KubeClient> => {
  const { transport } = await connect(t, cluster.kubeconfig);
  const slow: Transport = {
    ...transport,
    send: async (request) => {
      const response = await transport.send(request);
      await afterAnswer(request.path);
      return response;
    },
  };
  return createKubeClient({ ...parts(), transport: slow });
};

const startOfPage = (path: string): string => (path.includes('continue=') ? 'next' : 'first');

describe('a list in pages', () => {
  it('is complete, in order, and of one moment', async (t) => {
    const scene = await openScene(t);
    const { namespace, signal } = scene;
    await forEachNumber(25, (number) => createMap(scene, `map-${100 + number}`), signal);
    const pages: string[] = [];
    const client = await clientWithPause(t, scene, async (path) => {
      pages.push(startOfPage(path));
      await createMap(scene, `late-${pages.length}`);
    });
    const fieldSelector = 'metadata.name!=kube-root-ca.crt';
    const { items, metadata } = await client.list(CONFIG_MAPS, { namespace, fieldSelector, pageSize: 10, signal });
    assert.deepEqual(pages, ['first', 'next', 'next']);
    assert.deepEqual(
      items.map((item) => item.metadata.name),
      Array.from({ length: 25 }, (_, number) => `map-${100 + number}`),
    );
    assert.ok(items.every((item) => Number(item.metadata.resourceVersion) <= Number(metadata.resourceVersion)));
  });

  it('starts over when etcd forgot its moment, and is complete', async (t) => {
    const scene = await openScene(t);
    const { cluster, namespace, signal } = scene;
    await forEachNumber(8, (number) => createEvent(scene, `event-${number}`), signal);
    const pages: string[] = [];
    const client = await clientWithPause(t, scene, async (path) => {
      pages.push(startOfPage(path));
      if (pages.length > 1) return;
      await createEvent(scene, 'event-late');
      await compactEtcd(cluster.etcdUrl);
    });
    const { items } = await client.list(EVENTS, { namespace, pageSize: 5, signal });
    assert.deepEqual(pages, ['first', 'next', 'first', 'next']);
    assert.equal(items.length, 9);
    const truth = await scene.client.list(EVENTS, { namespace, signal });
    assert.deepEqual(versionsOf(items), versionsOf(truth.items));
  });

  it('that never gets to its end before etcd forgets is an error, not half a list', async (t) => {
    const scene = await openScene(t);
    const { cluster, namespace, signal } = scene;
    await forEachNumber(8, (number) => createEvent(scene, `event-${number}`), signal);
    let answers = 0;
    const client = await clientWithPause(t, scene, async () => {
      answers += 1;
      await createEvent(scene, `event-late-${answers}`);
      await compactEtcd(cluster.etcdUrl);
    });
    await assert.rejects(client.list(EVENTS, { namespace, pageSize: 5, signal }), {
      kind: 'conflict',
      code: 'ContinueExpired',
    });
  });
});

describe('a watch', () => {
  const read = async <T extends KubeObject>(
    events: AsyncIterable<WatchEvent<T>>,
  ): Promise<readonly WatchEvent<T>[]> => {
    const seen: WatchEvent<T>[] = [];
    for await (const event of events) seen.push(event);
    return seen;
  };
  const describeEvent = (event: WatchEvent<KubeObject>): string =>
    event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`;

  type Versioned = { readonly resourceVersion?: string };
  const isAfter = (later: Versioned, earlier: Versioned): boolean =>
    Number(later.resourceVersion) > Number(earlier.resourceVersion);

  it('tells all that happened since its list, and a deletion has a version of its own', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const { metadata } = await client.list(CONFIG_MAPS, { namespace, signal });
    const made = await createMap(scene, 'one');
    const body = { data: { b: '2' } };
    const patched = await client.patch(CONFIG_MAPS, made.metadata, { type: 'merge', body }, { signal });
    await client.delete(CONFIG_MAPS, made.metadata, { signal });
    const scope = { namespace, fieldSelector: 'metadata.name=one', timeoutSeconds: 1, signal };
    const events = await read(client.watch(CONFIG_MAPS, { ...scope, resourceVersion: metadata.resourceVersion }));
    assert.deepEqual(events.map(describeEvent), ['ADDED one', 'MODIFIED one', 'DELETED one']);
    const [, , deleted] = events;
    assert.ok(deleted?.type === 'DELETED' && isAfter(deleted.object.metadata, patched.metadata));
  });

  it('is told by a bookmark, two seconds before its end, how far the server is', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const { metadata } = await client.list(CONFIG_MAPS, { namespace, signal });
    const { resourceVersion } = metadata;
    const scope = { namespace, fieldSelector: 'metadata.name=none', timeoutSeconds: 4, signal };
    const watching = read(client.watch(CONFIG_MAPS, { ...scope, resourceVersion }));
    const elsewhere = await createEvent(scene, 'elsewhere');
    // The server asks etcd how far it is only when somebody wants a fresh list: in a quiet cluster no bookmark comes.
    await client.list(CONFIG_MAPS, { namespace, signal });
    const events = await watching;
    assert.ok(events.every(({ type }) => type === 'BOOKMARK'));
    const bookmark = events.at(-1);
    assert.ok(bookmark?.type === 'BOOKMARK' && !isAfter(elsewhere.metadata, bookmark));
  });

  it('with a selector sees an object that no longer fits as deleted', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const labels = { colour: 'red' };
    const made = await client.create(CONFIG_MAPS, { metadata: { namespace, name: 'one', labels } }, { signal });
    const body = { metadata: { labels: { colour: 'blue' } } };
    const moved = await client.patch(CONFIG_MAPS, made.metadata, { type: 'merge', body }, { signal });
    const options = { namespace, labelSelector: 'colour=red', timeoutSeconds: 1, signal };
    const [event] = await read(
      client.watch(CONFIG_MAPS, { ...options, resourceVersion: made.metadata.resourceVersion ?? '' }),
    );
    assert.ok(event?.type === 'DELETED');
    assert.equal(event.object.metadata.resourceVersion, moved.metadata.resourceVersion);
  });

  it('from a version that etcd forgot is expired', async (t) => {
    const scene = await openScene(t);
    const { client, cluster, namespace, signal } = scene;
    const { metadata } = await client.list(EVENTS, { namespace, signal });
    await createEvent(scene, 'one');
    await createEvent(scene, 'two');
    await compactEtcd(cluster.etcdUrl);
    const { resourceVersion } = metadata;
    await assert.rejects(read(client.watch(EVENTS, { namespace, resourceVersion, timeoutSeconds: 5, signal })), {
      kind: 'conflict',
      code: 'WatchExpired',
    });
  });

  it('from before what the server remembers is expired', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const { metadata } = await client.list(CONFIG_MAPS, { namespace, signal });
    const gadgets = await defineGadgets(scene);
    const options = { namespace, ...metadata, timeoutSeconds: 5, signal };
    // A server that has just learnt of a kind answers 429 until it has read it all.
    const refusal = await eventually('the server gave its verdict', () =>
      read(client.watch(gadgets, options)).then(
        () => assert.fail('the watch was taken'),
        (error: unknown) => (isKind(error, 'throttled') ? undefined : toFleetError(error)),
      ),
    );
    assert.deepEqual([refusal.kind, refusal.code], ['conflict', 'WatchExpired']);
  });

  it('from a version that never was is silent: nothing but silence gives such a position away', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const options = { namespace, resourceVersion: '900000000000', timeoutSeconds: 2, signal };
    const watching = read(client.watch(CONFIG_MAPS, options));
    await createMap(scene, 'one');
    assert.deepEqual(await watching, []);
  });

  it('ends when its reader gives up', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    const { metadata } = await client.list(CONFIG_MAPS, { namespace, signal });
    const giveUp = new AbortController();
    const options = { namespace, ...metadata, timeoutSeconds: 300, signal: giveUp.signal };
    const watching = read(client.watch(CONFIG_MAPS, options));
    giveUp.abort();
    await assert.rejects(watching, { kind: 'cancelled' });
  });
});
