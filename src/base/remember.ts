/** For pure functions that cost much and are asked the same again and again: the last few answers are kept. */

/** As `make`, whose answers must depend on `key` alone and never change. What it throws is not kept. */
export const rememberLast = <K extends string, V>(most: number, make: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    if (known.size >= most) forgetOldest(known);
    known.set(key, made);
    return made;
  };
};

const forgetOldest = <K>(known: Map<K, unknown>): void => {
  for (const oldest of known.keys()) {
    known.delete(oldest);
    return;
  }
};
