/**
 * Kinds that become known only while the process runs: those of CRDs, and those that an object refers to. Each is followed
 * by one cache for the whole process. To a manager all of them look like one cache, which is always warm: a kind that
 * cannot be listed must not keep the others from working.
 */
import { type LinkedController, linkedController } from '../../base/abort.ts';
import { type Cache, createCache } from '../../kube/cache/cache.ts';
import type { Change } from '../../kube/cache/object-store.ts';
import type { ReflectorOptions } from '../../kube/cache/reflector.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';
import { byOwnerUid } from './owner-references.ts';

export type AnyCache = Cache<KubeObject>;

export interface FollowedKinds {
  /** Follows a kind from now on. A cache that was made here holds metadata only. */
  follow(resource: Resource<KubeObject>): AnyCache;
  /** Ends what `follow` began. */
  forget(resource: Resource<KubeObject>): void;
  all(): readonly AnyCache[];
  /** Tells of everything that is known and of every change from now on, of kinds that come later too. */
  subscribe(handler: (cache: AnyCache, change: Change<KubeObject>) => void): () => void;
  readonly resource: { readonly plural: string };
  readonly synced: boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export interface FollowedKindsOptions
  extends Pick<ReflectorOptions<KubeObject>, 'client' | 'clock' | 'random' | 'logger'> {
  /** Caches that others run, with index `owner`: their kinds get no second one. */
  readonly known?: readonly AnyCache[];
}

type Handler = (cache: AnyCache, change: Change<KubeObject>) => void;

/** `machines.cluster.x-k8s.io`: the same for every version. */
export const collectionOf = ({ plural, group }: Resource<KubeObject>): string => `${plural}.${group}`;

export const createFollowedKinds = ({ known = [], ...deps }: FollowedKindsOptions): FollowedKinds => {
  const made = new Map<string, AnyCache>();
  const lives = new Map<AnyCache, LinkedController>();
  const handlers = new Set<Handler>();
  let start = (_cache: AnyCache): void => undefined;
  const all = (): readonly AnyCache[] => [...known, ...made.values()];

  const begin = (resource: Resource<KubeObject>): AnyCache => {
    const cache = createCache<KubeObject>({
      ...{ ...deps, resource, transform: keepOwnersOnly },
      indexes: { owner: byOwnerUid },
    });
    made.set(collectionOf(resource), cache);
    cache.subscribe((change) => {
      for (const handler of handlers) handler(cache, change);
    });
    start(cache);
    return cache;
  };

  return {
    resource: { plural: 'followed kinds' },
    synced: true,
    whenSynced: () => Promise.resolve(),
    all,
    follow: (resource) =>
      all().find((cache) => collectionOf(cache.resource) === collectionOf(resource)) ?? begin(resource),
    forget: (resource) => {
      const cache = made.get(collectionOf(resource));
      if (cache === undefined) return;
      made.delete(collectionOf(resource));
      lives.get(cache)?.abort();
      lives.delete(cache);
    },
    subscribe: (handler) => {
      const stops = known.map((cache) => cache.subscribe((change) => handler(cache, change)));
      for (const cache of made.values()) for (const object of cache.list()) handler(cache, { type: 'added', object });
      handlers.add(handler);
      return () => {
        handlers.delete(handler);
        for (const stop of stops) stop();
      };
    },
    run: async (signal) => {
      const running: Promise<void>[] = [];
      start = (cache) => {
        const life = linkedController(signal);
        lives.set(cache, life);
        running.push(cache.run(life.signal).finally(life.release));
      };
      for (const cache of made.values()) start(cache);
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

/** Who owns it and whether it is on its way out: nothing else is read of a followed object. */
const keepOwnersOnly = ({ metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = metadata;
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(finalizers !== undefined && { finalizers }),
    },
  };
};
