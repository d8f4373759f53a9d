/** The step from one state of an object to the next. It never changes once it is made. */
import type { Entry } from './entry.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** For DELETED the last state, under the revision of its deletion. */
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** The event as one line of a watch: encoded once for all who are told in the same turn, then let go. */
  line(): Uint8Array;
}

/** A line of a watch, from what is encoded already. */
export const encodeStored = (type: Change['type'], { json }: Entry): Uint8Array =>
  Buffer.from(`{"type":"${type}","object":${json}}\n`);

export const createChange = (effect: 'put' | 'remove', entry: Entry, previous: Entry | undefined): Change =>
  new StoredChange(effect === 'remove' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED', entry, previous);

/** Thousands of them are history. */
class StoredChange implements Change {
  readonly type: Change['type'];
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  #line: Uint8Array | undefined;

  constructor(type: Change['type'], entry: Entry, previous: Entry | undefined) {
    this.type = type;
    this.entry = entry;
    this.previous = previous;
  }

  get revision(): number {
    return this.entry.revision;
  }

  line(): Uint8Array {
    if (this.#line !== undefined) return this.#line;
    queueMicrotask(() => {
      this.#line = undefined;
    });
    this.#line = encodeStored(this.type, this.entry);
    return this.#line;
  }
}
