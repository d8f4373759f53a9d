/**
 * How often the parts of a simulated fleet do what they do for ever: heartbeats, watches, lists. A world for thousands of
 * schedules folds them, so that quiet hours cost little; what they are for (a lost leader, a silent Node, a dead watch) is
 * still noticed, later by the same measure.
 */
import type { ControllerPace } from '../controlplane/core/controller-set.ts';
import type { WatchSeconds } from '../kube/client/client.ts';
import type { LeaseTimes } from '../kube/manager/leader-lease.ts';
import type { ProviderTimes } from '../provider/host/ports.ts';
import type { BudgetOptions } from '../scaleway/adapter/request-budget.ts';
import { NORMAL_HOST_TIMES } from './host-times.ts';

export interface FleetPace {
  readonly leaderLease?: LeaseTimes;
  readonly controllers?: ControllerPace;
  readonly watchSeconds?: WatchSeconds;
  readonly bookmarkEveryMs?: number;
  readonly bodies?: 'with-answer';
  readonly nodeRenewEveryMs?: number;
  /** How often agents look at their VMs although nobody told of anything. */
  readonly vmLookEveryMs?: number;
  /** How long a step on a Mac looks before and after it acts. */
  readonly lookMs?: number;
  readonly hosts: ProviderTimes;
  /** How many requests the cloud gets; as in production unless given. */
  readonly cloudRequests?: BudgetOptions;
}

/** As in production. */
export const TRUE_PACE: FleetPace = { hosts: NORMAL_HOST_TIMES };

const MINUTE_MS = 60_000;

export const FOLDED_PACE: FleetPace = {
  leaderLease: { durationMs: 12 * MINUTE_MS, renewDeadlineMs: 8 * MINUTE_MS, retryMs: 3.5 * MINUTE_MS },
  controllers: {
    nodeSilentAfterMs: 30 * MINUTE_MS,
    remoteProbeMs: 120 * MINUTE_MS,
    namespaceLooksMostMs: 60 * MINUTE_MS,
  },
  watchSeconds: { least: 10_800, spread: 7_200, retryMost: 600 },
  bookmarkEveryMs: 600 * MINUTE_MS,
  bodies: 'with-answer',
  nodeRenewEveryMs: 12 * MINUTE_MS,
  vmLookEveryMs: 10 * MINUTE_MS,
  lookMs: 0,
  hosts: { ...NORMAL_HOST_TIMES, inventoryMs: 15 * MINUTE_MS, pollMs: 3 * MINUTE_MS },
};

/** Enough renewals for six hours to be as many events as a busy fleet, and not more. */
export const BRISK_LEASE: LeaseTimes = { durationMs: MINUTE_MS, renewDeadlineMs: 40_000, retryMs: 20_000 };
