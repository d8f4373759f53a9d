/** Equal values made one, among those that were seen last: what many objects have in common is then in memory once. */

/** Gives the value that was seen before under that key, or remembers this one. */
export type ShareRecent<T> = (key: string, value: T) => T;

export const createRecent = <T>(countMax: number): ShareRecent<T> => {
  /** The one that was seen least recently comes first. */
  const seen = new Map<string, T>();
  return (key, value) => {
    const shared = seen.get(key) ?? value;
    seen.delete(key);
    seen.set(key, shared);
    const [oldest] = seen.size > countMax ? seen.keys() : [];
    if (oldest !== undefined) seen.delete(oldest);
    return shared;
  };
};
