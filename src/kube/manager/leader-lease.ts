/**
 * Leadership by a Lease, with fencing. Whether somebody else's lease has run out is judged by our own monotonic clock
 * since we last saw it change, never by comparing clocks of two machines. Whether *we* still lead is asked before every
 * effect and answered by that clock too: a process that was frozen past its lease starts nothing more (F69, S8).
 */
import { withDeadline } from '../../base/abort.ts';
import { type Clock, sleep, toMicroTimestamp } from '../../base/clock.ts';
import { FleetError, isKind, toFleetError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { KubeClient } from '../client/client.ts';
import { LEASES, type Lease } from '../types/coordination.ts';
import type { ObjectKey } from '../types/meta.ts';

export interface LeaseTimes {
  /** How long others wait after the last renewal they saw. */
  readonly durationMs: number;
  /** How long we count as leader after a renewal; must be well below `durationMs`. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

export const DEFAULT_LEASE_TIMES: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

export interface LeaderLeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly lease: ObjectKey;
  /** Unique per process. */
  readonly identity: string;
  readonly times?: LeaseTimes;
}

export interface LeaderLease {
  /** Settles when the lease is ours. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Renews until the signal is aborted (settles) or the lease is lost (rejects with `unavailable`). */
  keep(signal: AbortSignal): Promise<void>;
  /** Lets the next one in without a wait. */
  release(signal: AbortSignal): Promise<void>;
  isHeld(): boolean;
  /** Throws `cancelled` unless the lease is held at this moment. */
  permit(): void;
}

/** What one look at the Lease calls for. */
export type LeaseMove = 'create' | 'take' | 'renew' | 'wait';

export interface LeaseSight {
  readonly lease: Lease | undefined;
  /** When, on our clock, the lease was first seen in its present form. */
  readonly seenSinceMs: number;
}

/** Pure: who may hold the lease now. */
export const decideLease = (sight: LeaseSight, identity: string, nowMs: number): LeaseMove => {
  const { lease, seenSinceMs } = sight;
  if (lease === undefined) return 'create';
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === identity) return 'renew';
  if (holder === '') return 'take';
  return nowMs - seenSinceMs >= (lease.spec?.leaseDurationSeconds ?? 0) * 1_000 ? 'take' : 'wait';
};

export const createLeaderLease = (options: LeaderLeaseOptions): LeaderLease => {
  const { client, clock, random, logger, identity } = options;
  const times = options.times ?? DEFAULT_LEASE_TIMES;
  let sight: LeaseSight = { lease: undefined, seenSinceMs: 0 };
  let wroteLast = false;
  let heldUntilMs = Number.NEGATIVE_INFINITY;

  const isHeld = (): boolean => clock.elapsed() < heldUntilMs;

  const look = (lease: Lease | undefined): void => {
    if (sight.lease?.metadata.resourceVersion === lease?.metadata.resourceVersion && lease !== undefined) return;
    sight = { lease, seenSinceMs: clock.elapsed() };
  };

  /** One round: look (unless we wrote last), decide, write conditionally. True when the lease is ours afterwards. */
  const round = async (signal: AbortSignal): Promise<boolean> => {
    const startedMs = clock.elapsed();
    if (!wroteLast) look(await findLease(client, options.lease, signal));
    wroteLast = false;
    const move = decideLease(sight, identity, clock.elapsed());
    if (move === 'wait') return false;
    look(await writeLease(client, renewedLease(options, sight.lease, times), signal));
    wroteLast = true;
    heldUntilMs = startedMs + times.renewDeadlineMs;
    return true;
  };

  const tryRound = async (signal: AbortSignal): Promise<boolean> => {
    try {
      const limit = { clock, timeoutMs: times.renewDeadlineMs, signal, doing: 'renewing the leader lease' };
      return await withDeadline(limit, round);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const error = toFleetError(thrown);
      if (!isKind(error, 'conflict', 'exists')) logger.warn('Leader lease could not be read or written', { error });
      return false;
    }
  };

  const pause = (signal: AbortSignal): Promise<void> =>
    sleep(clock, times.retryMs * (0.8 + 0.4 * random.next()), signal);

  return {
    acquire: async (signal) => {
      while (!(await tryRound(signal))) await pause(signal);
      logger.info('Leader lease acquired', { lease: options.lease.name, identity });
    },
    keep: async (signal) => {
      while (!signal.aborted) {
        await pause(signal).catch(() => undefined);
        if (signal.aborted) return;
        const renewed = await tryRound(signal).catch(() => false);
        if (signal.aborted || renewed) continue;
        if (!isHeld()) throw lost('unavailable');
      }
    },
    release: async (signal) => {
      heldUntilMs = Number.NEGATIVE_INFINITY;
      const held = sight.lease;
      if (held === undefined || held.spec?.holderIdentity !== identity) return;
      const spec = { ...held.spec, holderIdentity: '', leaseDurationSeconds: 1 };
      await client.update(LEASES, { ...held, spec }, { signal });
    },
    isHeld,
    permit: () => {
      if (!isHeld()) throw lost('cancelled');
    },
  };
};

const lost = (kind: 'cancelled' | 'unavailable'): FleetError =>
  new FleetError(kind, {
    code: 'LeaderLeaseLost',
    message: 'the leader lease is lost: this process starts nothing more',
    hint: 'Another process leads now, or the API server was out of reach for too long.',
  });

const findLease = async (client: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Lease | undefined> => {
  try {
    return await client.get(LEASES, key, { signal });
  } catch (error) {
    if (isKind(error, 'not-found')) return undefined;
    throw error;
  }
};

/** Conditional on the version seen: of two that take it at once, one gets a conflict. */
const writeLease = (client: KubeClient, lease: Lease, signal: AbortSignal): Promise<Lease> =>
  lease.metadata.resourceVersion === undefined
    ? client.create(LEASES, lease, { signal })
    : client.update(LEASES, lease, { signal });

const renewedLease = (options: LeaderLeaseOptions, seen: Lease | undefined, times: LeaseTimes): Lease => {
  const { clock, identity, lease: key } = options;
  const now = toMicroTimestamp(clock.now());
  const isOurs = seen?.spec?.holderIdentity === identity;
  return {
    ...seen,
    metadata: seen?.metadata ?? key,
    spec: {
      ...seen?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(times.durationMs / 1_000),
      acquireTime: isOurs ? (seen?.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (seen?.spec?.leaseTransitions ?? 0) + (isOurs || seen === undefined ? 0 : 1),
    },
  };
};
