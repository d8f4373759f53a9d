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

export const createFences = (caches: readonly CachePosition[]): Fences => new CacheFences(caches);

interface CacheFence {
  readonly cache: CachePosition;
  readonly fence: Fence;
}

class CacheFences implements Fences {
  readonly #caches: readonly CachePosition[];
  readonly #fencesByKey = new Map<string, readonly CacheFence[]>();
  readonly #waiting = new Set<string>();

  constructor(caches: readonly CachePosition[]) {
    this.#caches = caches;
  }

  wrote(key: string, resource: Resource<KubeObject>, written: KubeObject): void {
    const fences = this.#cachesOf(resource).map((cache) => ({ cache, fence: cache.fenceAfter(written) }));
    this.#raise(key, fences);
  }

  deleting(key: string, resource: Resource<KubeObject>, deletedKey: string): () => void {
    const fences = this.#cachesOf(resource).map((cache) => ({ cache, fence: cache.fenceAfterDelete(deletedKey) }));
    return () => this.#raise(key, fences);
  }

  isClear(key: string): boolean {
    if (this.#isReached(key)) return true;
    this.#waiting.add(key);
    return false;
  }

  start(wake: (key: string) => void): () => void {
    const onProgress = (): void => {
      for (const key of this.#waiting) {
        if (!this.#isReached(key)) continue;
        this.#waiting.delete(key);
        wake(key);
      }
    };
    const stops = this.#caches.map((cache) => cache.onProgress(onProgress));
    return () => {
      for (const stop of stops) stop();
    };
  }

  #cachesOf({ kind, group }: Resource<KubeObject>): readonly CachePosition[] {
    return this.#caches.filter(({ resource }) => resource.kind === kind && resource.group === group);
  }

  #raise(key: string, fences: readonly CacheFence[]): void {
    if (fences.length > 0) this.#fencesByKey.set(key, [...(this.#fencesByKey.get(key) ?? []), ...fences]);
  }

  #isReached(key: string): boolean {
    const open = this.#fencesByKey.get(key)?.filter(({ cache, fence }) => !cache.hasReached(fence)) ?? [];
    if (open.length > 0) this.#fencesByKey.set(key, open);
    else this.#fencesByKey.delete(key);
    return open.length === 0;
  }
}
