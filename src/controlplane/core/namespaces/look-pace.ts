/** How often one looks again at a namespace that will not end. */

const LOOK_LEAST_MS = 5_000;
export const LOOK_MOST_MS = 60_000;

/** The longer something has stayed, the less often: each look lists every kind there is. */
export const nextLookMs = (endingMs: number, mostMs = LOOK_MOST_MS): number =>
  Math.min(mostMs, Math.max(LOOK_LEAST_MS, endingMs / 2));
