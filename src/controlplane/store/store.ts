/**
 * The one store: all objects in memory, encoded and parsed when needed, under one global revision, with a bounded history
 * for watches and an optional log for what must survive.
 *
 * Writing is synchronous, and the next reader in this process sees it. With a log it is not yet a fact: all writes of
 * one turn of the event loop are made durable together when the turn is over, and only then do listeners and history
 * learn of them. A group that cannot be made durable is taken back whole, as if nobody had written. So whoever answers
 * somebody outside waits for `whenSettled`, for a read as for a write. Without a log every write is a fact at once.
 */
import type { Clock } from '../../base/clock.ts';
import { type Change, createChange } from './change.ts';
import { type Collection, createCollection } from './collection.ts';
import { createEntries, type Entries, type Entry } from './entry.ts';
import { createGroupCommit, type GroupCommit, type Settled } from './group-commit.ts';
import { createHistory, type History } from './history.ts';
import type { LogRecord, StoreLog } from './log.ts';
import type { StoredObject } from './object.ts';

export type { Change } from './change.ts';
export { type Entry, keyFor } from './entry.ts';

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
  /** Durable changes after that revision, oldest first; undefined when some are forgotten, or nobody wrote it yet. */
  since(revision: number): readonly Change[] | undefined;
  /** Called for every durable change of the collection, in order. Must not throw. */
  subscribe(collection: string, listener: (change: Change) => void): () => void;
  /** Calls `run` once nothing that was written so far is undecided; at once when nothing is. Must neither throw nor write. */
  whenSettled(run: (settled: Settled) => void): void;
  /** Settles now, not when the turn is over. Throws when that failed. */
  flush(): void;
  close(): void;
}

export interface StoreOptions {
  readonly log?: StoreLog;
  /** What it holds at first, where no log says it. */
  readonly initial?: { readonly revision: number; readonly records: readonly LogRecord[] };
  /** Tells how old history is; without it only its length and size count. */
  readonly clock?: Pick<Clock, 'now'>;
  /** How many changes watches can look back on. */
  readonly historyMax?: number;
  /** How many objects stay parsed. */
  readonly parsedMax?: number;
}

const HISTORY_MAX = 8_192;
/** As long as a real API server lets etcd remember. */
const HISTORY_AGE_MAX_MS = 300_000;
const HISTORY_CHARS_MAX = 64 * 1024 * 1024;

export const createStore = (options: StoreOptions = {}): Store => {
  const { log, clock, initial = { revision: 0, records: [] }, historyMax = HISTORY_MAX, parsedMax } = options;
  const loaded = log?.load() ?? initial;
  const entries = createEntries(parsedMax);
  const collections = createCollections(loaded.records, entries);
  const announcer = createAnnouncer(openHistory(loaded.revision, historyMax, clock));
  const group = createGroupCommit({
    log,
    onDurable: announcer.announce,
    onLost: ({ entry, previous }) => {
      revision = entry.revision - 1;
      if (previous === undefined) collections.of(entry.collection).delete(entry.key);
      else collections.of(entry.collection).set(previous);
    },
  });
  let revision = loaded.revision;

  const write = (collection: string, object: StoredObject, effect: 'put' | 'remove'): Entry => {
    const kept = collections.of(collection);
    const entry = entries.stamp(collection, object, revision + 1);
    const change = createChange(effect, entry, kept.get(entry.key));
    revision = entry.revision;
    if (effect === 'put') kept.set(entry);
    else kept.delete(entry.key);
    group.add(change);
    return entry;
  };
  /** Undecided changes too: whoever reads now sees them. */
  const changesAfter = (from: number): readonly Change[] | undefined => {
    const durable = revision - group.pending().length;
    if (from > durable) return from > revision ? undefined : group.pending().slice(from - durable);
    return announcer.since(from)?.concat(group.pending());
  };

  return {
    get revision() {
      return revision;
    },
    get: (collection, key) => collections.find(collection)?.get(key),
    list: (collection) => collections.find(collection)?.list() ?? [],
    listAt: (collection, at) => {
      const later = changesAfter(at)?.filter(({ entry }) => entry.collection === collection);
      return later && collections.of(collection).listBefore(later);
    },
    collections: () => collections.names(),
    put: (collection, object) => write(collection, object, 'put'),
    remove: (collection, object) => write(collection, object, 'remove'),
    since: (from) => (from > revision - group.pending().length && from <= revision ? [] : announcer.since(from)),
    subscribe: announcer.subscribe,
    whenSettled: group.whenSettled,
    flush: () => settleOrThrow(group),
    close: () => {
      try {
        settleOrThrow(group);
      } finally {
        log?.close();
      }
    },
  };
};

const settleOrThrow = (group: GroupCommit): void => {
  const settled = group.settle();
  if (settled.is === 'lost') throw settled.error;
};

const openHistory = (start: number, changesMax: number, clock: StoreOptions['clock']): History =>
  createHistory({
    start,
    now: clock === undefined ? () => 0 : () => clock.now(),
    changesMax,
    ageMaxMs: HISTORY_AGE_MAX_MS,
    charsMax: HISTORY_CHARS_MAX,
  });

/** Facts, told to who listens and remembered for who comes later. */
const createAnnouncer = (history: History) => {
  const listeners = new Map<string, Set<(change: Change) => void>>();
  return {
    since: history.since,
    announce: (change: Change): void => {
      history.add(change);
      for (const listener of [...(listeners.get(change.entry.collection) ?? [])]) listener(change);
    },
    subscribe: (collection: string, listener: (change: Change) => void): (() => void) => {
      const subscribed = listeners.get(collection) ?? new Set();
      listeners.set(collection, subscribed.add(listener));
      return () => subscribed.delete(listener);
    },
  };
};

const createCollections = (records: readonly LogRecord[], entries: Entries) => {
  const collections = new Map<string, Collection>();
  const of = (name: string): Collection => {
    const found = collections.get(name) ?? createCollection();
    collections.set(name, found);
    return found;
  };
  for (const record of records) of(record.collection).set(entries.load(record));
  return { of, find: (name: string) => collections.get(name), names: (): readonly string[] => [...collections.keys()] };
};
