/** One state of one object, and the step from one state to the next. Both never change once they are made. */
import type { StoredObject } from './object.ts';

export interface Entry {
  readonly collection: string;
  /** `namespace/name`; the namespace is empty for cluster-wide objects. */
  readonly key: string;
  readonly revision: number;
  readonly object: StoredObject;
  /** The object encoded, once: every list and watch sends this. */
  readonly json: string;
}

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

export const createChange = (effect: 'put' | 'remove', entry: Entry, previous: Entry | undefined): Change => {
  const type = effect === 'remove' ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED';
  let line: Uint8Array | undefined;
  return {
    type,
    revision: entry.revision,
    entry,
    previous,
    line: () => {
      if (line === undefined) {
        queueMicrotask(() => {
          line = undefined;
        });
        line = encodeStored(type, entry);
      }
      return line;
    },
  };
};
