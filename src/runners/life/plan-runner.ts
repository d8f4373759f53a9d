/**
 * What is to be done for one runner, by what its Pod and its ServiceAccount show. Pure and total. The account outlives the
 * Pod and goes when the end was reported: as long as it is there, a session may be open (S35).
 */
import { parseTimestamp } from '../../base/clock.ts';
import type { ServiceAccount } from '../../kube/types/core.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { hasEnded, isDeleting, isKnownBusy, isLeaving, isRunning } from '../runner-pod.ts';

export interface RunnerView {
  readonly pod: Pod | undefined;
  readonly account: ServiceAccount | undefined;
  /** Its pool has it on record as one to be made. */
  readonly isOnRecord: boolean;
  /** This process saw its Pod end. */
  readonly isEndKnown: boolean;
  readonly pool: PoolState;
  readonly nowMs: number;
}

/** `foreign`: runners of another system, which this controller leaves alone. */
export type PoolState = 'up' | 'paused' | 'deleting' | 'absent' | 'foreign';

export type RunnerPlan =
  /** There is nothing left of it. */
  | { readonly do: 'forget' }
  | { readonly do: 'leave' }
  /** An account whose Pod may be on its way. */
  | { readonly do: 'await-pod'; readonly afterMs: number }
  /** Its Pod is gone: report that, then the account goes. */
  | { readonly do: 'close' }
  /** It ended by itself: report that, then the Pod goes. */
  | { readonly do: 'reap'; readonly patienceMs: number }
  /** Somebody deletes it: report that. `checkAfterMs`: when it should be gone. */
  | { readonly do: 'see-off'; readonly checkAfterMs: number }
  /** It should be gone for long, and nobody holds it: perhaps its Node is gone (§7-45). */
  | { readonly do: 'look-for-node' }
  /** It was asked to leave: the dispatcher says whether it may be deleted. */
  | { readonly do: 'drain' }
  /** It has a job: the dispatcher says when that is over, should nobody else (§7-46). */
  | { readonly do: 'watch-job' };

/** Longer than it takes to make a Pod after its account. */
const ACCOUNT_ALONE_MS = 120_000;
/** After its grace, a Pod that is still there has no agent that would end it. */
const OVERDUE_MS = 300_000;
const DEFAULT_GRACE_SECONDS = 30;
/** How long a dead Pod is kept for a report that does not get through; it costs nothing but its entry. */
const REPORT_PATIENCE_MS = 24 * 3_600_000;
/** A person waits for a pool that is being deleted. */
const REPORT_PATIENCE_DELETING_MS = 600_000;

export const planRunner = (view: RunnerView): RunnerPlan => {
  const { pod, pool } = view;
  if (pool === 'foreign') return { do: 'leave' };
  if (pod === undefined) return planAccount(view);
  if (isDeleting(pod)) return planDeparture(pod, view.nowMs);
  if (hasEnded(pod)) {
    const isAwaited = pool === 'deleting' || pool === 'absent';
    return { do: 'reap', patienceMs: isAwaited ? REPORT_PATIENCE_DELETING_MS : REPORT_PATIENCE_MS };
  }
  if (pool === 'paused') return { do: 'leave' };
  if (isLeaving(pod)) return { do: 'drain' };
  return isRunning(pod) && isKnownBusy(pod) ? { do: 'watch-job' } : { do: 'leave' };
};

const planAccount = ({ account, isOnRecord, isEndKnown, nowMs }: RunnerView): RunnerPlan => {
  if (account === undefined) return { do: 'forget' };
  if (isEndKnown) return { do: 'close' };
  const bornMs = parseTimestamp(account.metadata.creationTimestamp) ?? 0;
  const leftMs = bornMs + ACCOUNT_ALONE_MS - nowMs;
  if (isOnRecord) return { do: 'await-pod', afterMs: ACCOUNT_ALONE_MS };
  return leftMs > 0 ? { do: 'await-pod', afterMs: leftMs } : { do: 'close' };
};

const planDeparture = ({ metadata }: Pod, nowMs: number): RunnerPlan => {
  const { deletionTimestamp, deletionGracePeriodSeconds = DEFAULT_GRACE_SECONDS, finalizers = [] } = metadata;
  // The time of deletion already includes the grace.
  const dueMs = (parseTimestamp(deletionTimestamp) ?? nowMs) + OVERDUE_MS;
  const checkAfterMs = Math.max(dueMs - nowMs, deletionGracePeriodSeconds * 1_000);
  if (nowMs < dueMs) return { do: 'see-off', checkAfterMs };
  return finalizers.length > 0 ? { do: 'see-off', checkAfterMs: OVERDUE_MS } : { do: 'look-for-node' };
};
