/** The latest of what came, up to a limit, and how much was dropped. */

export interface Recent<T> {
  /** In their order. */
  readonly entries: readonly T[];
  /** So many earlier ones are not kept any more. */
  readonly dropped: number;
}

export interface Ring<T> {
  note(entry: T): void;
  recent(): Recent<T>;
}

export const createRing = <T>(limit: number): Ring<T> => {
  const kept: T[] = [];
  let noted = 0;
  return {
    note: (entry) => {
      if (limit > 0) kept[noted % limit] = entry;
      noted += 1;
    },
    recent: () => {
      const oldest = noted > limit && limit > 0 ? noted % limit : 0;
      return { entries: [...kept.slice(oldest), ...kept.slice(0, oldest)], dropped: noted - kept.length };
    },
  };
};
