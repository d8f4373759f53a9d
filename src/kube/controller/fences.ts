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
  /** Asked before a delete is sent: by the time it is answered, another object may bear the name. Call what it returns then. */
  deleting(key: string, resource: Resource<KubeObject>, deletedKey: string): () => void;
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

  const fencesOn = (resource: Resource<KubeObject>, fenceOn: (cache: CachePosition) => Fence) =>
    caches
      .filter((cache) => cache.resource.kind === resource.kind && cache.resource.group === resource.group)
      .map((cache) => ({ cache, fence: fenceOn(cache) }));

  const raise = (key: string, fences: ReturnType<typeof fencesOn>): void => {
    if (fences.length > 0) fencesByKey.set(key, [...(fencesByKey.get(key) ?? []), ...fences]);
  };

  return {
    wrote: (key, resource, written) =>
      raise(
        key,
        fencesOn(resource, (cache) => cache.fenceAfter(written)),
      ),
    deleting: (key, resource, deletedKey) => {
      const fences = fencesOn(resource, (cache) => cache.fenceAfterDelete(deletedKey));
      return () => raise(key, fences);
    },
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
