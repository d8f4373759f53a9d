/**
 * What we know of one kind: a store kept in step by a reflector, with handlers and a position. The position makes
 * read-your-writes possible: a fence taken from a write is reached once the cache has seen that write (design D3).
 */
import { abortable } from '../../base/abort.ts';
import type { Logger } from '../../base/logger.ts';
import { createTextSharing } from '../../base/share-texts.ts';
import type { WatchEvent } from '../client/client.ts';
import type { KubeList, KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import { type Change, createObjectStore, type IndexFunction, type ObjectStore, revisionOf } from './object-store.ts';
import { type ReflectorOptions, type RelistCause, runReflector } from './reflector.ts';

/** Something in the history of one kind that a reader wants the cache to have seen. */
export interface Fence {
  readonly history: number;
  readonly revision: number;
  /** After a delete, whose own revision nobody tells us: this object is gone or on its way out. */
  readonly deleted?: { readonly key: string; readonly uid: string | undefined };
}

/** The position of a cache, for those who only ask whether it has seen a write. */
export interface CachePosition {
  readonly resource: Resource<KubeObject>;
  /** The fence behind an object that we just wrote. */
  fenceAfter(written: KubeObject): Fence;
  /** The fence behind a delete that is about to be sent. */
  fenceAfterDelete(key: string): Fence;
  /** A list that goes back in time (a restored etcd) starts a new history and with it clears every fence. */
  hasReached(fence: Fence): boolean;
  /** Calls `run` whenever the position moves, after the handlers saw what moved it. */
  onProgress(run: () => void): () => void;
}

export type ChangeHandler<T extends KubeObject> = (change: Change<T>) => void;

export interface Cache<T extends KubeObject>
  extends CachePosition,
    Pick<ObjectStore<T>, 'get' | 'list' | 'byIndex' | 'size'> {
  readonly resource: Resource<T>;
  readonly synced: boolean;
  /** Settles when the first complete list is in. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Calls the handler for every object held now, as added, and for every change from now on. */
  subscribe(handler: ChangeHandler<T>): () => void;
  /** Follows the API server until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface CacheMetrics {
  relisted(resource: string, cause: RelistCause): void;
  handlerFailed(resource: string): void;
}

export interface CacheOptions<T extends KubeObject> extends Omit<ReflectorOptions<T>, 'onRelist'> {
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  readonly metrics?: CacheMetrics;
}

export const createCache = <T extends KubeObject>(options: CacheOptions<T>): Cache<T> => {
  const store = createObjectStore<T>(options.indexes);
  const position = { history: 0, revision: 0 };
  const announcer = createAnnouncer<T>(options);
  const synced = Promise.withResolvers<void>();
  let isSynced = false;

  const replaced = (list: KubeList<T>): void => {
    const revision = revisionOf(list.metadata.resourceVersion);
    if (revision < position.revision) position.history += 1;
    position.revision = revision;
    const changes = store.replace(list.items);
    isSynced = true;
    synced.resolve();
    announcer.announce(changes);
  };

  const happened = (event: WatchEvent<T>): void => {
    const changes = applyTo(store, event);
    const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    position.revision = Math.max(position.revision, revisionOf(version));
    announcer.announce(changes);
  };

  return {
    resource: options.resource,
    get: store.get,
    list: store.list,
    byIndex: store.byIndex,
    get size() {
      return store.size;
    },
    get synced() {
      return isSynced;
    },
    whenSynced: (signal) => abortable(synced.promise, signal),
    subscribe: (handler) => announcer.subscribe(handler, store.list()),
    onProgress: announcer.onProgress,
    fenceAfter: ({ metadata }) => ({ history: position.history, revision: revisionOf(metadata.resourceVersion) }),
    fenceAfterDelete: (key) => ({
      history: position.history,
      revision: 0,
      deleted: { key, uid: store.get(key)?.metadata.uid },
    }),
    hasReached: (fence) =>
      fence.history !== position.history || (fence.revision <= position.revision && isDeleted(store, fence)),
    run: (signal) => {
      const onRelist = (cause: RelistCause): void => options.metrics?.relisted(options.resource.plural, cause);
      return runReflector({ ...options, onRelist }, { replaced, happened }, signal);
    },
  };
};

const isDeleted = <T extends KubeObject>(store: ObjectStore<T>, { deleted }: Fence): boolean => {
  if (deleted === undefined) return true;
  const held = store.get(deleted.key)?.metadata;
  return held === undefined || held.uid !== deleted.uid || held.deletionTimestamp !== undefined;
};

const applyTo = <T extends KubeObject>(store: ObjectStore<T>, event: WatchEvent<T>): readonly Change<T>[] => {
  if (event.type === 'BOOKMARK') return [];
  const change = event.type === 'DELETED' ? store.remove(event.object) : store.upsert(event.object);
  return change === undefined ? [] : [change];
};

interface Announcer<T extends KubeObject> {
  announce(changes: readonly Change<T>[]): void;
  subscribe(handler: ChangeHandler<T>, held: readonly T[]): () => void;
  onProgress(run: () => void): () => void;
}

/** Tells the handlers. One that throws is logged and counted; the others and the cache go on. */
const createAnnouncer = <T extends KubeObject>(options: {
  readonly resource: Resource<T>;
  readonly logger: Logger;
  readonly metrics?: CacheMetrics;
}): Announcer<T> => {
  const handlers = new Set<ChangeHandler<T>>();
  const listeners = new Set<() => void>();

  const guarded = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      options.metrics?.handlerFailed(options.resource.plural);
      options.logger.error('Cache handler failed', { resource: options.resource.plural, error });
    }
  };

  return {
    announce: (changes) => {
      for (const change of changes) for (const handler of handlers) guarded(() => handler(change));
      for (const listener of listeners) guarded(listener);
    },
    subscribe: (handler, held) => {
      handlers.add(handler);
      for (const object of held) guarded(() => handler({ type: 'added', object }));
      return () => handlers.delete(handler);
    },
    onProgress: (run) => {
      listeners.add(run);
      return () => listeners.delete(run);
    },
  };
};

/** For caches of many objects: no managedFields, and what several of them say is in memory once. */
export const createLeanKeeping = (): (<T extends KubeObject>(object: T) => T) => {
  const shareTexts = createTextSharing();
  return (object) => shareTexts(dropManagedFields(object));
};

/** For most caches: nobody reads managedFields, and they are a third of many objects. */
export const dropManagedFields = <T extends KubeObject>(object: T): T => {
  if (!('managedFields' in object.metadata)) return object;
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
};
