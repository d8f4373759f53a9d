/** The objects of one kind, by key and in the order of keys. */
import type { Change } from './change.ts';
import type { Entry } from './entry.ts';

export interface Collection {
  get(key: string): Entry | undefined;
  /** In the order of keys. */
  list(): readonly Entry[];
  set(entry: Entry): void;
  delete(key: string): void;
  /** The list as it was before those changes, given oldest first. */
  listBefore(later: readonly Change[]): readonly Entry[];
}

export const createCollection = (): Collection => {
  const entries = new Map<string, Entry>();
  /** Sorted when first asked for, and kept sorted from then on. */
  let sorted: string[] | undefined;
  return {
    get: (key) => entries.get(key),
    list: () => {
      sorted ??= [...entries.keys()].sort();
      return pick(sorted, entries);
    },
    set: (entry) => {
      if (sorted !== undefined && !entries.has(entry.key)) sorted.splice(placeOf(sorted, entry.key), 0, entry.key);
      entries.set(entry.key, entry);
    },
    delete: (key) => {
      if (!entries.delete(key)) return;
      sorted?.splice(placeOf(sorted, key), 1);
    },
    listBefore: (later) => {
      const before = new Map(entries);
      for (const { entry, previous } of later.toReversed()) {
        if (previous === undefined) before.delete(entry.key);
        else before.set(entry.key, previous);
      }
      return pick([...before.keys()].sort(), before);
    },
  };
};

const pick = (keys: readonly string[], entries: ReadonlyMap<string, Entry>): readonly Entry[] => {
  const picked: Entry[] = [];
  for (const key of keys) {
    const entry = entries.get(key);
    if (entry !== undefined) picked.push(entry);
  }
  return picked;
};

/** Where the key is, or belongs. */
const placeOf = (sorted: readonly string[], key: string): number => {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
};
