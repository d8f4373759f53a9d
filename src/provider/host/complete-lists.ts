/**
 * When the servers of each zone were last listed in full and all that is ours among them was put on record. Who misses the
 * record of a Mac knows by it whether there is a Mac at all: an error, or no answer, says nothing (R8, R19).
 */
export interface CompleteLists {
  /** To be called once everything that a list showed is on record. */
  note(zone: string, startedMs: number): void;
  /** On the monotonic clock, when the last of them was asked for; undefined: none yet in this process. */
  lastOf(zone: string): number | undefined;
}

export const createCompleteLists = (): CompleteLists => {
  const startedMs = new Map<string, number>();
  return {
    note: (zone, atMs) => void startedMs.set(zone, atMs),
    lastOf: (zone) => startedMs.get(zone),
  };
};
