/** A cache on a real API server, and the question whether it holds the truth. */
import assert from 'node:assert/strict';
import { type Cache, type CacheOptions, createCache } from '../../../src/kube/cache/cache.ts';
import type { RelistCause } from '../../../src/kube/cache/reflector.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { KubeObject } from '../../../src/kube/types/meta.ts';
import type { Resource } from '../../../src/kube/types/resource.ts';
import { eventually, parts, type Scene, versionsOf } from './scene.ts';

export interface RunningCache<T extends KubeObject> {
  readonly cache: Cache<T>;
  /** Why it read the whole list, each time it did. */
  readonly relists: readonly RelistCause[];
  /** Keys of objects that its handlers hold by what they were told, change by change. */
  readonly told: ReadonlySet<string>;
}

export interface Watched<T extends KubeObject> extends Partial<CacheOptions<T>> {
  readonly resource: Resource<T>;
  /** Through which it looks at the cluster. */
  readonly client: KubeClient;
}

/** Runs a cache of this test's namespace until the test ends; settles when it has its first list. */
export const runCache = async <T extends KubeObject>(
  { namespace, signal, undo }: Scene,
  watched: Watched<T>,
): Promise<RunningCache<T>> => {
  const relists: RelistCause[] = [];
  const told = new Set<string>();
  const metrics = {
    relisted: (_resource: string, cause: RelistCause) => void relists.push(cause),
    handlerFailed: () => assert.fail('a handler failed'),
  };
  const cache = createCache<T>({ ...parts(), namespace, metrics, ...watched });
  cache.subscribe((change) => {
    if (change.type === 'deleted') told.delete(change.old.metadata.name);
    else told.add(change.object.metadata.name);
  });
  const stop = new AbortController();
  const running = cache.run(stop.signal);
  undo(async () => {
    stop.abort();
    await running;
  });
  await cache.whenSynced(signal);
  return { cache, relists, told };
};

/** Waits until the cache has come as far as the present, then compares it with a list read past it. */
export const assertHoldsTruth = async <T extends KubeObject>(
  { client, namespace, signal }: Scene,
  { cache, told }: RunningCache<T>,
  timeoutMs?: number,
): Promise<void> => {
  const { items } = await client.list(cache.resource, { namespace, signal });
  const truth = versionsOf(items);
  const isEqual = (): boolean => {
    const held = versionsOf(cache.list());
    return held.length === truth.length && held.every((version, at) => version === truth[at]);
  };
  await eventually('the cache holds the truth', isEqual, timeoutMs).catch(() => undefined);
  assert.deepEqual(versionsOf(cache.list()), truth);
  assert.deepEqual([...told].sort(), items.map(({ metadata }) => metadata.name).sort(), 'its handlers missed a key');
};
