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
