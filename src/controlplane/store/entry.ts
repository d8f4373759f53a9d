/**
 * One state of one object: encoded for good, parsed for as long as somebody works with it. A parsed object takes more than
 * twice its text in memory, most of it for `managedFields`, and of a large fleet hardly any is looked at twice.
 */
import { FleetError, messageOf } from '../../base/errors.ts';
import { createEncode, type Pieces } from './encode.ts';
import type { LogRecord } from './log.ts';
import { parseStoredObject, type StoredObject } from './object.ts';
import { createSpecSharing, type ShareSpec } from './share-spec.ts';

/** Never changes once it is made. */
export interface Entry {
  readonly collection: string;
  /** `namespace/name`; the namespace is empty for cluster-wide objects. */
  readonly key: string;
  readonly revision: number;
  /** The object encoded: every list and watch sends this. It is put together anew each time. */
  readonly json: string;
  /** The length of `json`, which costs nothing to ask. */
  readonly chars: number;
  /** The object parsed; again, when it was let go meanwhile. */
  readonly object: StoredObject;
  /** What selectors look at: the object without its managedFields. Kept once somebody has selected. */
  readonly selectable: StoredObject;
}

export interface Entries {
  /** The object as it will be stored: under that revision. */
  stamp(collection: string, object: StoredObject, revision: number): Entry;
  /** Throws when the record holds no object. */
  load(record: LogRecord): Entry;
}

/** As many objects stay parsed as were written or read last: more than one turn of the event loop writes, as a rule. */
const PARSED_MAX = 64;

export const keyFor = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export const createEntries = (parsedMax = PARSED_MAX): Entries => {
  const parsed: (StoredEntry | undefined)[] = Array.from({ length: parsedMax });
  let next = 0;
  const remember: Remember = (entry) => {
    parsed[next]?.letGo();
    parsed[next] = entry;
    next = (next + 1) % parsedMax;
  };
  const encode = createEncode();
  const held: Held = { remember, shareSpec: createSpecSharing() };
  return {
    stamp: (collection, object, revision) => {
      const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
      const { namespace, name } = stamped.metadata;
      const place = { collection, key: keyFor(namespace, name), revision };
      const entry = new StoredEntry(place, encode(stamped), held);
      entry.hold(stamped);
      return entry;
    },
    load: ({ json = '', ...place }) => {
      try {
        return new StoredEntry(place, encode(parseStoredObject(JSON.parse(json))), held);
      } catch (thrown) {
        throw damaged(place, thrown);
      }
    },
  };
};

type Place = Omit<LogRecord, 'json'>;
type Remember = (entry: StoredEntry) => void;

/** What all entries of a store have in common. */
interface Held {
  readonly remember: Remember;
  readonly shareSpec: ShareSpec;
}

class StoredEntry implements Entry {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly #pieces: Pieces;
  readonly #held: Held;
  #object: StoredObject | undefined;
  #selectable: StoredObject | undefined;

  constructor({ collection, key, revision }: Place, pieces: Pieces, held: Held) {
    this.collection = collection;
    this.key = key;
    this.revision = revision;
    this.#pieces = pieces;
    this.#held = held;
  }

  get json(): string {
    return this.#pieces.join('');
  }

  get chars(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }

  get object(): StoredObject {
    return this.#object ?? this.hold(parseStoredObject(JSON.parse(this.json)));
  }

  get selectable(): StoredObject {
    this.#selectable ??= this.#held.shareSpec(withoutManagers(this.object));
    return this.#selectable;
  }

  hold(object: StoredObject): StoredObject {
    this.#object = object;
    this.#held.remember(this);
    return object;
  }

  letGo(): void {
    this.#object = undefined;
  }
}

const withoutManagers = (object: StoredObject): StoredObject => {
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata };
};

const damaged = ({ collection, key }: Place, thrown: unknown): FleetError =>
  new FleetError('contract', {
    code: 'StoreDamaged',
    message: `the stored object ${collection} ${key} cannot be read: ${messageOf(thrown)}`,
    hint: 'Restore the data file from a backup, or move it away and start with an empty one.',
  });
