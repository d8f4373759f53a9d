/** How long a Pod waits between two runs: ten seconds, doubled with each, as every kubelet does it. Pure. */
import type { JournalEntry } from './journal-entry.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** One that ran so long has earned a fresh start. */
const LONG_RUN_MS = 600_000;

export const restartAfterMs = ({ restarts, outcome }: JournalEntry): number => {
  const ranMs = outcome === undefined ? 0 : outcome.finishedMs - outcome.startedMs;
  return restarts === 0 || ranMs >= LONG_RUN_MS
    ? firstWait(restarts)
    : Math.min(LONGEST_MS, FIRST_MS * 2 ** (restarts - 1));
};

/** The first restart of all comes at once. */
const firstWait = (restarts: number): number => (restarts === 0 ? 0 : FIRST_MS);
