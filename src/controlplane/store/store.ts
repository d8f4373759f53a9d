/**
 * The one store: all objects in memory, parsed and encoded, under one global revision, with a bounded history for
 * watches and an optional log for what must survive. Everything is synchronous: a change is durable and seen by every
 * listener when `put` or `remove` returns, and nothing can come in between.
 */
import { FleetError, messageOf } from '../../base/errors.ts';
import type { LogRecord, StoreLog } from './log.ts';
import { parseStoredObject, type StoredObject } from './object.ts';

/** One state of one object. Never changes; the next state is another entry. */
export interface Entry {
  readonly collection: string;
  /** `namespace/name`; the namespace is empty for cluster-wide objects. */
  readonly key: string;
  readonly revision: number;
  readonly object: StoredObject;
  readonly json: string;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** For DELETED the last state, under the revision of its deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** The event as one line of a watch, encoded once however many watch. */
  line(): Uint8Array;
}

export interface Store {
  readonly revision: number;
  get(collection: string, key: string): Entry | undefined;
  /** In the order of keys. */
  list(collection: string): readonly Entry[];
  /** As it was at that revision; undefined when history does not reach back so far. */
  listAt(collection: string, revision: number): readonly Entry[] | undefined;
  /** Every collection that holds or held objects. */
  collections(): readonly string[];
  put(collection: string, object: StoredObject): Entry;
  remove(collection: string, object: StoredObject): Entry;
  /** Changes after that revision, oldest first; undefined when some of them are forgotten, or it is yet to come. */
  since(revision: number): readonly Change[] | undefined;
  /** Called for every change of the collection, in order. Must not throw. */
  subscribe(collection: string, listener: (change: Change) => void): () => void;
  close(): void;
}

export interface StoreOptions {
  readonly log?: StoreLog;
  /** How many changes watches can look back on. */
  readonly historyMax?: number;
}

const HISTORY_MAX = 4_096;

interface Collection {
  readonly entries: Map<string, Entry>;
  readonly listeners: Set<(change: Change) => void>;
  /** Forgotten whenever a key comes or goes. */
  sortedKeys: readonly string[] | undefined;
}

export const keyFor = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export const createStore = ({ log, historyMax = HISTORY_MAX }: StoreOptions = {}): Store => {
  const collections = new Map<string, Collection>();
  const collectionOf = (name: string): Collection => {
    const found = collections.get(name) ?? { entries: new Map(), listeners: new Set(), sortedKeys: undefined };
    collections.set(name, found);
    return found;
  };
  const loaded = log?.load() ?? { revision: 0, records: [] };
  for (const record of loaded.records) collectionOf(record.collection).entries.set(record.key, parseRecord(record));

  let revision = loaded.revision;
  const history = createHistory(historyMax, revision);

  const commit = (collection: string, object: StoredObject, effect: 'put' | 'remove'): Entry => {
    const next = revision + 1;
    const { namespace, name } = object.metadata;
    const key = keyFor(namespace, name);
    const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(next) } };
    const json = JSON.stringify(stamped);
    log?.append({ collection, key, revision: next, json: effect === 'put' ? json : undefined });
    revision = next;
    const entry: Entry = { collection, key, revision, object: stamped, json };
    const kept = collectionOf(collection);
    const previous = kept.entries.get(key);
    if (effect === 'remove') kept.entries.delete(key);
    else kept.entries.set(key, entry);
    if (effect === 'remove' || previous === undefined) kept.sortedKeys = undefined;
    const change = createChange(effect, entry, previous);
    history.add(change);
    for (const listener of [...kept.listeners]) listener(change);
    return entry;
  };

  return {
    get revision() {
      return revision;
    },
    get: (collection, key) => collections.get(collection)?.entries.get(key),
    list: (collection) => sorted(collectionOf(collection)),
    listAt: (collection, at) => {
      const later = history.since(at, revision);
      return later === undefined ? undefined : undo(collectionOf(collection), collection, later);
    },
    collections: () => [...collections.keys()],
    put: (collection, object) => commit(collection, object, 'put'),
    remove: (collection, object) => commit(collection, object, 'remove'),
    since: (from) => history.since(from, revision),
    subscribe: (collection, listener) => {
      const { listeners } = collectionOf(collection);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => log?.close(),
  };
};

const sorted = (collection: Collection): readonly Entry[] => {
  collection.sortedKeys ??= [...collection.entries.keys()].sort();
  return collection.sortedKeys.flatMap((key) => collection.entries.get(key) ?? []);
};

/** The collection before those changes. */
const undo = (collection: Collection, name: string, later: readonly Change[]): readonly Entry[] => {
  const entries = new Map(collection.entries);
  for (const { entry, previous } of later.toReversed()) {
    if (entry.collection !== name) continue;
    if (previous === undefined) entries.delete(entry.key);
    else entries.set(entry.key, previous);
  }
  return sorted({ entries, listeners: collection.listeners, sortedKeys: undefined });
};

const createChange = (effect: 'put' | 'remove', entry: Entry, previous: Entry | undefined): Change => {
  const type = effect === 'remove' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
  let line: Uint8Array | undefined;
  return {
    type,
    revision: entry.revision,
    entry,
    previous,
    line: () => {
      line ??= Buffer.from(`{"type":"${type}","object":${entry.json}}\n`);
      return line;
    },
  };
};

interface History {
  add(change: Change): void;
  since(from: number, latest: number): readonly Change[] | undefined;
}

/** Revisions are without gaps, so a revision is a position. Trimmed in steps, so that adding stays cheap. */
const createHistory = (max: number, startRevision: number): History => {
  let changes: Change[] = [];
  let forgottenTo = startRevision;
  return {
    add: (change) => {
      changes.push(change);
      if (changes.length < max * 2) return;
      forgottenTo += changes.length - max;
      changes = changes.slice(-max);
    },
    since: (from, latest) =>
      from < forgottenTo || from > latest || !Number.isSafeInteger(from)
        ? undefined
        : changes.slice(from - forgottenTo),
  };
};

const parseRecord = ({ collection, key, revision, json = '' }: LogRecord): Entry => {
  try {
    return { collection, key, revision, object: parseStoredObject(JSON.parse(json)), json };
  } catch (thrown) {
    throw new FleetError('contract', {
      code: 'StoreDamaged',
      message: `the stored object ${collection} ${key} cannot be read: ${messageOf(thrown)}`,
      hint: 'Restore the data file from a backup, or move it away and start with an empty one.',
    });
  }
};
