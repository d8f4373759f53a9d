/**
 * Read-your-writes for a controller: every write made while reconciling a key leaves a fence on the caches of the kind
 * written, and the key is not reconciled again before the caches have reached its fences. A stale cache then costs a
 * short wait instead of a second Pod or a second claim (F64, F65).
 */
import type { CachePosition, Fence } from '../cache/cache.ts';
import type { KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';

export interface Fences {
  wrote(key: string, resource: Resource<KubeObject>, written: KubeObject): void;
  deleted(key: string, resource: Resource<KubeObject>, deletedKey: string): void;
  /** Whether the caches hold everything that was written for this key. A key that must wait is woken later. */
  isClear(key: string): boolean;
  /** Watches the caches; `wake` gets each waiting key once its fences are reached. */
  start(wake: (key: string) => void): () => void;
}

export const createFences = (caches: readonly CachePosition[]): Fences => {
  const fencesByKey = new Map<string, { readonly cache: CachePosition; readonly fence: Fence }[]>();
  const waiting = new Set<string>();

  const isReached = (key: string): boolean => {
    const open = fencesByKey.get(key)?.filter(({ cache, fence }) => !cache.hasReached(fence)) ?? [];
    if (open.length > 0) fencesByKey.set(key, open);
    else fencesByKey.delete(key);
    return open.length === 0;
  };

  const raise = (key: string, resource: Resource<KubeObject>, fenceOn: (cache: CachePosition) => Fence): void => {
    for (const cache of caches) {
      if (cache.resource.kind !== resource.kind || cache.resource.group !== resource.group) continue;
      fencesByKey.set(key, [...(fencesByKey.get(key) ?? []), { cache, fence: fenceOn(cache) }]);
    }
  };

  return {
    wrote: (key, resource, written) => raise(key, resource, (cache) => cache.fenceAfter(written)),
    deleted: (key, resource, deletedKey) => raise(key, resource, (cache) => cache.fenceAfterDelete(deletedKey)),
    isClear: (key) => {
      if (isReached(key)) return true;
      waiting.add(key);
      return false;
    },
    start: (wake) => {
      const onProgress = (): void => {
        for (const key of waiting) {
          if (!isReached(key)) continue;
          waiting.delete(key);
          wake(key);
        }
      };
      const stops = caches.map((cache) => cache.onProgress(onProgress));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
};
