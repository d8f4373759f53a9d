/**
 * Whether a Mac's configuration is to be pushed anew (004-3, 004-5): pure. Failures are counted against the configuration
 * that failed: at the cap the Mac is left as it is, until there is another configuration or the cooldown is over.
 */
import { parseTimestamp } from '../../base/clock.ts';

export interface RollBudget {
  /** Failed pushes in a row. */
  readonly failures: number;
  readonly lastFailureAt?: string | undefined;
  /** The configuration that they failed with. */
  readonly failedHash?: string | undefined;
}

export interface DriftView {
  readonly nowMs: number;
  /** Fingerprint of the configuration that is wanted; empty when there is none to push. */
  readonly desired: string;
  /** What was last verified on the Mac; empty or undefined before. */
  readonly recorded: string | undefined;
  readonly budget: RollBudget;
  readonly limits: RollLimits;
}

export interface RollLimits {
  /** Failures after which the Mac is left alone; 0: never. */
  readonly cap: number;
  /** After so long it is tried again all the same; 0: never. */
  readonly retryAfterMs: number;
  /** The least time between two tries. */
  readonly paceMs: number;
}

export type DriftPlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'push' }
  /** Between two tries. */
  | { readonly do: 'wait'; readonly afterMs: number }
  /** Given up, until another configuration comes, or after so long. */
  | { readonly do: 'give-up'; readonly afterMs: number | undefined };

export const planDrift = ({ nowMs, desired, recorded, budget, limits }: DriftView): DriftPlan => {
  if (desired === '' || desired === recorded) return { do: 'nothing' };
  if (budget.failures === 0 || budget.failedHash !== desired) return { do: 'push' };
  const sinceMs = nowMs - (parseTimestamp(budget.lastFailureAt) ?? 0);
  if (limits.cap === 0 || budget.failures < limits.cap) return after(limits.paceMs - sinceMs);
  if (limits.retryAfterMs === 0) return { do: 'give-up', afterMs: undefined };
  const leftMs = limits.retryAfterMs - sinceMs;
  return leftMs > 0 ? { do: 'give-up', afterMs: leftMs } : { do: 'push' };
};

const after = (leftMs: number): DriftPlan => (leftMs > 0 ? { do: 'wait', afterMs: leftMs } : { do: 'push' });

export interface FailedPush {
  readonly at: string;
  /** Whether it says anything about the Mac, or the configuration; if not, the next try is only later. */
  readonly isCounted: boolean;
}

/** The budget after one more failure with this configuration. A cooldown that is over begins a new count. */
export const afterFailedPush = (
  { desired, budget, limits, nowMs }: DriftView,
  { at, isCounted }: FailedPush,
): RollBudget & { readonly failures: number } => {
  const isSame = budget.failedHash === desired;
  const sinceMs = nowMs - (parseTimestamp(budget.lastFailureAt) ?? 0);
  const isRearmed = limits.cap > 0 && budget.failures >= limits.cap && sinceMs >= limits.retryAfterMs;
  const before = isSame && !isRearmed ? budget.failures : 0;
  return { failures: isCounted ? before + 1 : Math.max(before, 1), lastFailureAt: at, failedHash: desired };
};
