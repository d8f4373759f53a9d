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
import { readIfThere } from '../client/if-there.ts';
import { LEASES, type Lease } from '../types/coordination.ts';
import type { ObjectKey } from '../types/meta.ts';

export interface LeaseTimes {
  /** How long others wait after the last renewal they saw. */
  readonly durationMs: number;
  /** How long we count as leader after a renewal; must be well below `durationMs`. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

const DEFAULT_LEASE_TIMES: LeaseTimes = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

const RELEASE_TRIES_MAX = 3;

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

export const createLeaderLease = (options: LeaderLeaseOptions): LeaderLease => new HeldLease(options);

class HeldLease implements LeaderLease {
  readonly #options: LeaderLeaseOptions;
  readonly #times: LeaseTimes;
  #sight: LeaseSight = { lease: undefined, seenSinceMs: 0 };
  #wroteLast = false;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_LEASE_TIMES;
  }

  async acquire(signal: AbortSignal): Promise<void> {
    while (!(await this.#tryRound(signal))) await this.#pause(signal);
    const { logger, lease, identity } = this.#options;
    logger.info('Leader lease acquired', { lease: lease.name, identity });
  }

  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pause(signal).catch(() => undefined);
      if (signal.aborted) return;
      const isRenewed = await this.#tryRound(signal).catch(() => false);
      if (!isRenewed && !signal.aborted && !this.isHeld()) throw lost('unavailable');
    }
  }

  /** A renewal that was given up under way may be stored all the same: then what we know of the lease is too old. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, lease } = this.#options;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#giveBack(signal);
      } catch (thrown) {
        if (!isKind(thrown, 'conflict') || tries >= RELEASE_TRIES_MAX) throw thrown;
        this.#look(await findLease(client, lease, signal));
      }
    }
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    const held = this.#sight.lease;
    if (held === undefined || held.spec?.holderIdentity !== this.#options.identity) return;
    const spec = { ...held.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await this.#options.client.update(LEASES, { ...held, spec }, { signal });
  }

  isHeld(): boolean {
    return this.#options.clock.elapsed() < this.#heldUntilMs;
  }

  permit(): void {
    if (!this.isHeld()) throw lost('cancelled');
  }

  async #tryRound(signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.#options;
    try {
      const limit = { clock, timeoutMs: this.#times.renewDeadlineMs, signal, doing: 'renewing the leader lease' };
      return await withDeadline(limit, (roundSignal) => this.#round(roundSignal));
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const error = toFleetError(thrown);
      if (!isKind(error, 'conflict', 'exists')) logger.warn('Leader lease could not be read or written', { error });
      return false;
    }
  }

  /** One round: look (unless we wrote last), decide, write conditionally. True when the lease is ours afterwards. */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { client, clock, identity, lease } = this.#options;
    const startedMs = clock.elapsed();
    if (!this.#wroteLast) this.#look(await findLease(client, lease, signal));
    this.#wroteLast = false;
    if (decideLease(this.#sight, identity, clock.elapsed()) === 'wait') return false;
    this.#look(await writeLease(client, renewedLease(this.#options, this.#sight.lease, this.#times), signal));
    this.#wroteLast = true;
    this.#heldUntilMs = startedMs + this.#times.renewDeadlineMs;
    return true;
  }

  #look(lease: Lease | undefined): void {
    const isSame =
      lease !== undefined && this.#sight.lease?.metadata.resourceVersion === lease.metadata.resourceVersion;
    if (!isSame) this.#sight = { lease, seenSinceMs: this.#options.clock.elapsed() };
  }

  #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    return sleep(clock, this.#times.retryMs * (0.8 + 0.4 * random.next()), signal);
  }
}

const lost = (kind: 'cancelled' | 'unavailable'): FleetError =>
  new FleetError(kind, {
    code: 'LeaderLeaseLost',
    message: 'the leader lease is lost: this process starts nothing more',
    hint: 'Another process leads now, or the API server was out of reach for too long.',
  });

const findLease = (kube: KubeClient, key: ObjectKey, signal: AbortSignal): Promise<Lease | undefined> =>
  readIfThere(LEASES, key, { kube, signal });

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
