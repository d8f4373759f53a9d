/** L18, its other half: a Mac that fails is not tried again at once (R21). */
import type { Memory } from './memory.ts';

/** So many tries within so long: the shortest pause between two is half a minute. */
const TRIES = 4;
const WITHIN_MS = 75_000;

export const createHastyTries = (): Memory => {
  const failedAtMs = new Map<string, readonly number[]>();
  const hasty = new Set<string>();
  return {
    hear: (happening, truth) => {
      if (happening.is !== 'object' || happening.change.kind !== 'hosts') return;
      const { before, after } = happening.change;
      const next = after?.spec.budgets.bootstrap.nextAttemptAt;
      if (after === undefined || next === undefined || next === before?.spec.budgets.bootstrap.nextAttemptAt) return;
      const { name } = after.metadata;
      const times = [...(failedAtMs.get(name) ?? []), truth.nowMs()].slice(-TRIES);
      failedAtMs.set(name, times);
      if (times.length === TRIES && truth.nowMs() - (times[0] ?? 0) < WITHIN_MS) hasty.add(name);
    },
    judge: () =>
      [...hasty].map((name) => ({
        property: 'L18',
        message: `${name} failed ${TRIES} times within ${WITHIN_MS / 1_000} s: it was tried again at once`,
      })),
  };
};
