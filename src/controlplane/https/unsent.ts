/** Slow readers are cut off before what waits for them fills the memory. */
import type { Outgoing } from './exchange.ts';

/** A watcher that lets more pile up than this is cut off; it resumes from the last version it saw. */
export interface UnsentLimits {
  readonly oneBytesMax: number;
  /** From here on a watcher counts as slow. */
  readonly slowBytes: number;
  /** Of all slow watchers together. */
  readonly allBytesMax: number;
}

export interface Unsent {
  /** Asked after each write. */
  isTooSlow(out: Outgoing): boolean;
  forget(out: Outgoing): void;
}

const UNSENT_LIMITS: UnsentLimits = {
  oneBytesMax: 32 * 1024 * 1024,
  slowBytes: 256 * 1024,
  allBytesMax: 256 * 1024 * 1024,
};

export const createUnsent = (limits: UnsentLimits = UNSENT_LIMITS): Unsent => {
  /** Answers of which much is waiting to be read. */
  const slow = new Set<Outgoing>();
  return {
    isTooSlow: (out) => {
      const unsentBytes = out.unsentBytes();
      if (unsentBytes < limits.slowBytes) {
        slow.delete(out);
        return false;
      }
      slow.add(out);
      if (unsentBytes > limits.oneBytesMax) return true;
      let totalBytes = 0;
      for (const one of slow) totalBytes += one.unsentBytes();
      return totalBytes > limits.allBytesMax;
    },
    forget: (out) => void slow.delete(out),
  };
};
