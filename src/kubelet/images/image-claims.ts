/** Who uses what of the images right now, so that the collector and whoever needs an image never meet. No waiting, no I/O. */

export interface ImageClaims {
  /** Until the returned function is called, nobody deletes what has this name. Waits for a deletion that has begun. */
  claim(name: string): Promise<() => void>;
  isClaimed(name: string): boolean;
  /** Deletes unless somebody claims it; false when somebody does. */
  deleteUnlessClaimed(name: string, work: () => Promise<void>): Promise<boolean>;
}

export const createImageClaims = (): ImageClaims => {
  const claims = new Map<string, number>();
  const deletions = new Map<string, Promise<void>>();
  const add = (name: string, change: number): void => {
    const count = (claims.get(name) ?? 0) + change;
    if (count === 0) claims.delete(name);
    else claims.set(name, count);
  };
  return {
    claim: async (name) => {
      add(name, 1);
      // Whether the deletion succeeded is for whoever looks next to find out.
      await deletions.get(name)?.catch(() => undefined);
      let isReleased = false;
      return () => {
        if (!isReleased) add(name, -1);
        isReleased = true;
      };
    },
    isClaimed: (name) => claims.has(name),
    deleteUnlessClaimed: async (name, work) => {
      if (claims.has(name)) return false;
      const deletion = work();
      deletions.set(name, deletion);
      try {
        await deletion;
      } finally {
        deletions.delete(name);
      }
      return true;
    },
  };
};
