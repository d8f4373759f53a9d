/**
 * Watches on kinds that become known only when an object refers to them. They wake the owner of what changed, and are the
 * reason why nothing here polls. To a manager they look like one cache, which is always warm.
 */
import { type Cache, createCache } from '../../kube/cache/cache.ts';
import type { ReflectorOptions } from '../../kube/cache/reflector.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { keepOwnersOnly } from '../core/garbage-collector.ts';

export interface ContractWatches {
  /** Follows a kind from now on. The cache holds metadata only. */
  follow(resource: Resource<KubeObject>): Pick<Cache<KubeObject>, 'get'>;
  readonly resource: { readonly plural: string };
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export interface ContractWatchesOptions
  extends Pick<ReflectorOptions<KubeObject>, 'client' | 'clock' | 'random' | 'logger'> {
  /** Gets every object that appeared, changed or went away. */
  readonly onChange: (resource: Resource<KubeObject>, object: KubeObject) => void;
}

export const createContractWatches = ({ onChange, ...deps }: ContractWatchesOptions): ContractWatches => {
  const caches = new Map<string, Cache<KubeObject>>();
  let start = (_cache: Cache<KubeObject>): void => undefined;

  return {
    resource: { plural: 'contract objects' },
    synced: true,
    whenSynced: () => Promise.resolve(),
    follow: (resource) => {
      const id = `${resource.plural}.${resource.version}.${resource.group}`;
      const known = caches.get(id);
      if (known !== undefined) return known;
      const cache = createCache<KubeObject>({ ...deps, resource, transform: keepOwnersOnly });
      cache.subscribe((change) => onChange(resource, change.type === 'deleted' ? change.old : change.object));
      caches.set(id, cache);
      start(cache);
      return cache;
    },
    run: async (signal) => {
      const running: Promise<void>[] = [];
      start = (cache) => {
        running.push(cache.run(signal));
      };
      for (const cache of caches.values()) start(cache);
      await whenAborted(signal);
      await Promise.all(running);
    },
  };
};

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
