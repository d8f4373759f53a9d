/** Objects of one kind in memory, with indexes. It knows nothing of the network; the cache feeds it. */
import { assert } from '../../base/errors.ts';
import { type KubeObject, keyOf, renderKey } from '../types/meta.ts';

/** What happened to one object, with what was known of it before. */
export type Change<T extends KubeObject> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'updated'; readonly object: T; readonly old: T }
  | { readonly type: 'deleted'; readonly old: T };

/** The values under which an object is found again, such as the name of the Node a Pod is bound to. */
export type IndexFunction<T> = (object: T) => readonly string[];

export interface ObjectStore<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): readonly T[];
  byIndex(index: string, value: string): readonly T[];
  readonly size: number;
  /** Takes a newer version of an object; an equal or older one changes nothing and gives undefined. */
  upsert(object: T): Change<T> | undefined;
  /** Forgets an object unless a version newer than `last` is held. */
  remove(last: T): Change<T> | undefined;
  /** Makes the content exactly these objects, whatever their versions: a list is the truth, also when it is older. */
  replace(objects: readonly T[]): readonly Change<T>[];
}

/** The revision inside a resourceVersion; 0 when it is none, which compares as older than everything. */
export const revisionOf = (resourceVersion: string | undefined): number => {
  const revision = Number(resourceVersion);
  return Number.isSafeInteger(revision) && revision > 0 ? revision : 0;
};

export const createObjectStore = <T extends KubeObject>(
  indexFunctions: Readonly<Record<string, IndexFunction<T>>> = {},
): ObjectStore<T> => new IndexedObjects(indexFunctions);

class IndexedObjects<T extends KubeObject> implements ObjectStore<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: readonly Index<T>[];

  constructor(indexFunctions: Readonly<Record<string, IndexFunction<T>>>) {
    this.#indexes = Object.entries(indexFunctions).map(([name, valuesOf]) => createIndex(name, valuesOf));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.find((candidate) => candidate.name === name);
    assert(index !== undefined, `no index named ${name}`);
    return index.keys(value).flatMap((key) => this.#objects.get(key) ?? []);
  }

  upsert(object: T): Change<T> | undefined {
    const key = renderKey(keyOf(object));
    const held = this.#objects.get(key);
    return held !== undefined && isSameOrOlder(object, held) ? undefined : this.#put(key, object);
  }

  remove(last: T): Change<T> | undefined {
    const key = renderKey(keyOf(last));
    const held = this.#objects.get(key);
    if (held === undefined || (isSameOrOlder(last, held) && !isSame(last, held))) return undefined;
    return this.#drop(key, held);
  }

  replace(next: readonly T[]): readonly Change<T>[] {
    const changes: Change<T>[] = [];
    const gone = new Map(this.#objects);
    for (const object of next) {
      const key = renderKey(keyOf(object));
      const held = gone.get(key);
      gone.delete(key);
      if (held === undefined || !isSame(object, held)) changes.push(this.#put(key, object));
    }
    for (const [key, old] of gone) changes.push(this.#drop(key, old));
    return changes;
  }

  #put(key: string, object: T): Change<T> {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes) index.move(key, old, object);
    return old === undefined ? { type: 'added', object } : { type: 'updated', object, old };
  }

  #drop(key: string, old: T): Change<T> {
    this.#objects.delete(key);
    for (const index of this.#indexes) index.move(key, old, undefined);
    return { type: 'deleted', old };
  }
}

const isSame = (left: KubeObject, right: KubeObject): boolean =>
  left.metadata.uid === right.metadata.uid && left.metadata.resourceVersion === right.metadata.resourceVersion;

const isSameOrOlder = (candidate: KubeObject, held: KubeObject): boolean =>
  isSame(candidate, held) || revisionOf(candidate.metadata.resourceVersion) < revisionOf(held.metadata.resourceVersion);

interface Index<T> {
  readonly name: string;
  keys(value: string): readonly string[];
  move(key: string, old: T | undefined, object: T | undefined): void;
}

const createIndex = <T>(name: string, valuesOf: IndexFunction<T>): Index<T> => {
  /** One key under a value is the rule, and stands there by itself: a set of one takes ten times as much. */
  const keysByValue = new Map<string, string | Set<string>>();
  const forget = (key: string, value: string): void => {
    const keys = keysByValue.get(value);
    if (keys === key) keysByValue.delete(value);
    if (!(keys instanceof Set)) return;
    keys.delete(key);
    if (keys.size === 0) keysByValue.delete(value);
  };
  const remember = (key: string, value: string): void => {
    const keys = keysByValue.get(value);
    if (keys === undefined) keysByValue.set(value, key);
    else if (keys instanceof Set) keys.add(key);
    else if (keys !== key) keysByValue.set(value, new Set([keys, key]));
  };
  const keysOf = (value: string): readonly string[] => {
    const keys = keysByValue.get(value) ?? [];
    return typeof keys === 'string' ? [keys] : [...keys];
  };
  return {
    name,
    keys: keysOf,
    move: (key, old, object) => {
      for (const value of old === undefined ? [] : valuesOf(old)) forget(key, value);
      for (const value of object === undefined ? [] : valuesOf(object)) remember(key, value);
    },
  };
};
