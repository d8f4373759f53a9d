/**
 * Exponential backoff with full jitter. A policy is data; the result of a failure is a *time*, so that a restart or a
 * status change does not shorten the wait (design D11).
 */
import { assert } from './errors.ts';
import type { Random } from './random.ts';

export interface BackoffPolicy {
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Never less than this, whatever the draw: keeps a failing key from spinning. */
  readonly minMs: number;
}

export const DEFAULT_BACKOFF: BackoffPolicy = { initialMs: 2_000, factor: 2, maxMs: 300_000, minMs: 1_000 };

/** The wait before try number `attempt + 1`, where `attempt` counts failures so far and starts at 1. */
export const backoffDelayMs = (policy: BackoffPolicy, attempt: number, random: Random): number => {
  assert(attempt >= 1, `backoff counts failures from 1, got ${attempt}`);
  const ceilingMs = Math.min(policy.maxMs, policy.initialMs * policy.factor ** Math.min(attempt - 1, 64));
  return Math.max(policy.minMs, Math.round(random.next() * ceilingMs));
};

export interface Retry {
  /** Failures so far. */
  readonly attempts: number;
  /** Wall clock time before which nothing is tried again. */
  readonly notBeforeMs: number;
}

/** Folds one more failure into what is remembered of the earlier ones. */
export const afterFailure = (
  earlier: Retry | undefined,
  nowMs: number,
  deps: { readonly policy: BackoffPolicy; readonly random: Random },
): Retry => {
  const attempts = (earlier?.attempts ?? 0) + 1;
  return { attempts, notBeforeMs: nowMs + backoffDelayMs(deps.policy, attempts, deps.random) };
};
