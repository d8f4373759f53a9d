/**
 * What we know of one kind: a store kept in step by a reflector, with handlers and a position. The position makes
 * read-your-writes possible: a fence taken from a write is reached once the cache has seen that write (design D3).
 */
import { abortable } from '../../base/abort.ts';
import { createTextSharing } from '../../base/share-texts.ts';
import type { WatchEvent } from '../client/client.ts';
import type { KubeList, KubeObject } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import { type Change, createObjectStore, type IndexFunction, type ObjectStore, revisionOf } from './object-store.ts';
import { type ReflectorOptions, type ReflectorSink, type RelistCause, runReflector } from './reflector.ts';

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

export const createCache = <T extends KubeObject>(options: CacheOptions<T>): Cache<T> => new FollowingCache(options);

/** Every agent of a fleet has some of them. */
class FollowingCache<T extends KubeObject> implements Cache<T> {
  readonly resource: Resource<T>;
  readonly #options: CacheOptions<T>;
  readonly #store: ObjectStore<T>;
  readonly #announcer: Announcer<T>;
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  #history = 0;
  #revision = 0;

  constructor(options: CacheOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
    this.#store = createObjectStore<T>(options.indexes);
    this.#announcer = new Announcer<T>(options);
  }

  get size(): number {
    return this.#store.size;
  }

  get synced(): boolean {
    return this.#isSynced;
  }

  get(key: string): T | undefined {
    return this.#store.get(key);
  }

  list(): readonly T[] {
    return this.#store.list();
  }

  byIndex(index: string, value: string): readonly T[] {
    return this.#store.byIndex(index, value);
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return abortable(this.#synced.promise, signal);
  }

  subscribe(handler: ChangeHandler<T>): () => void {
    return this.#announcer.subscribe(handler, this.#store.list());
  }

  onProgress(run: () => void): () => void {
    return this.#announcer.onProgress(run);
  }

  fenceAfter({ metadata }: KubeObject): Fence {
    return { history: this.#history, revision: revisionOf(metadata.resourceVersion) };
  }

  fenceAfterDelete(key: string): Fence {
    return { history: this.#history, revision: 0, deleted: { key, uid: this.#store.get(key)?.metadata.uid } };
  }

  hasReached(fence: Fence): boolean {
    if (fence.history !== this.#history) return true;
    return fence.revision <= this.#revision && isDeleted(this.#store, fence);
  }

  run(signal: AbortSignal): Promise<void> {
    const { metrics, resource } = this.#options;
    const onRelist = (cause: RelistCause): void => metrics?.relisted(resource.plural, cause);
    const sink: ReflectorSink<T> = {
      replaced: (list) => this.#replaced(list),
      happened: (event) => this.#happened(event),
    };
    return runReflector({ ...this.#options, onRelist }, sink, signal);
  }

  #replaced(list: KubeList<T>): void {
    const revision = revisionOf(list.metadata.resourceVersion);
    if (revision < this.#revision) this.#history += 1;
    this.#revision = revision;
    const changes = this.#store.replace(list.items);
    this.#isSynced = true;
    this.#synced.resolve();
    this.#announcer.announce(changes);
  }

  #happened(event: WatchEvent<T>): void {
    const changes = applyTo(this.#store, event);
    const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    this.#revision = Math.max(this.#revision, revisionOf(version));
    this.#announcer.announce(changes);
  }
}

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

/** Tells the handlers. One that throws is logged and counted; the others and the cache go on. */
class Announcer<T extends KubeObject> {
  readonly #options: Pick<CacheOptions<T>, 'resource' | 'logger' | 'metrics'>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #listeners = new Set<() => void>();

  constructor(options: Pick<CacheOptions<T>, 'resource' | 'logger' | 'metrics'>) {
    this.#options = options;
  }

  announce(changes: readonly Change<T>[]): void {
    for (const change of changes) for (const handler of this.#handlers) this.#guarded(() => handler(change));
    for (const listener of this.#listeners) this.#guarded(listener);
  }

  subscribe(handler: ChangeHandler<T>, held: readonly T[]): () => void {
    this.#handlers.add(handler);
    for (const object of held) this.#guarded(() => handler({ type: 'added', object }));
    return () => this.#handlers.delete(handler);
  }

  onProgress(run: () => void): () => void {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  #guarded(run: () => void): void {
    const { metrics, logger, resource } = this.#options;
    try {
      run();
    } catch (error) {
      metrics?.handlerFailed(resource.plural);
      logger.error('Cache handler failed', { resource: resource.plural, error });
    }
  }
}

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
