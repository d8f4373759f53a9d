/** What this process knows of runners that end: when, and what was done about it. A restart does it again. */

export interface End {
  readonly uid: string;
  readonly endedAt: string;
  isReported: boolean;
  isCaptured: boolean;
}

export interface Ends {
  /** The end of this Pod, known from now on. An earlier time that was seen first stays. */
  note(key: string, uid: string, endedAt: string): End;
  /** Of the Pod that had this name last. */
  find(key: string): End | undefined;
  /** Since when this Pod is known to be there although its job is over: from the first time that this is asked. */
  overSince(key: string, uid: string, nowMs: number): number;
  forget(key: string): void;
  readonly size: number;
}

export const createEnds = (): Ends => {
  const known = new Map<string, End>();
  const over = new Map<string, { readonly uid: string; readonly sinceMs: number }>();
  return {
    note: (key, uid, endedAt) => {
      const found = known.get(key);
      if (found?.uid === uid) return found;
      const end: End = { uid, endedAt, isReported: false, isCaptured: false };
      known.set(key, end);
      return end;
    },
    find: (key) => known.get(key),
    overSince: (key, uid, nowMs) => {
      const found = over.get(key);
      if (found?.uid === uid) return found.sinceMs;
      over.set(key, { uid, sinceMs: nowMs });
      return nowMs;
    },
    forget: (key) => {
      known.delete(key);
      over.delete(key);
    },
    get size() {
      return known.size + over.size;
    },
  };
};
