/**
 * Whether another controller makes runners of a pool. Every runner is put on record first, so a name on record that this process neither gave
 * nor found when it began is somebody else's. With a lease there is one controller at a time; this is for those that were started without,
 * or with leases in two namespaces. It is safe (N14, S33) and wasteful, and should be known.
 */
import { type Clock, parseTimestamp } from '../../base/clock.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { ConditionReport } from '../../kube/controller/outcome.ts';
import { keyOf, renderKey } from '../../kube/types/meta.ts';

export interface Rivals {
  /** What there is to tell of this pool, if anything. */
  look(pool: RunnerPool): ConditionReport | undefined;
  /** These names are about to be put on record. */
  announce(key: string, names: readonly string[]): void;
  forget(key: string): void;
}

/** Another one that was not heard of for so long is gone. Both may tell of it: neither takes it back sooner. */
const QUIET_MS = 600_000;
/** Names, for each pool: a write whose answer was lost may be seen late. */
const KNOWN_MAX = 100;

export const createRivals = (clock: Clock): Rivals => {
  const known = new Map<string, readonly string[]>();
  const seenMs = new Map<string, number>();
  const remember = (key: string, names: readonly string[]): void => {
    known.set(key, [...(known.get(key) ?? []), ...names].slice(-KNOWN_MAX));
  };
  const note = (key: string, creating: readonly string[]): void => {
    const ours = known.get(key);
    const strange = creating.filter((name) => ours?.includes(name) !== true);
    if (ours !== undefined && strange.length > 0) seenMs.set(key, clock.now());
    remember(key, strange);
  };
  return {
    look: (pool) => {
      const key = renderKey(keyOf(pool));
      note(key, pool.status?.creating ?? []);
      return tellRivals(pool, { seenMs: seenMs.get(key), nowMs: clock.now() });
    },
    announce: remember,
    forget: (key) => {
      known.delete(key);
      seenMs.delete(key);
    },
  };
};

interface Sight {
  readonly seenMs: number | undefined;
  readonly nowMs: number;
}

const tellRivals = ({ status }: RunnerPool, { seenMs, nowMs }: Sight): ConditionReport | undefined => {
  const type = CONDITIONS.pool.soleController;
  const { alone, another } = REASONS.pool.soleController;
  if (seenMs !== undefined && nowMs - seenMs < QUIET_MS)
    return {
      ...{ type, status: 'False', reason: another },
      message: 'another controller makes runners of this pool too: stop one of the two, or let both use the same Lease',
    };
  const told = status?.conditions?.find((condition) => condition.type === type);
  if (told?.status !== 'False') return undefined;
  const toldMs = parseTimestamp(told.lastTransitionTime) ?? 0;
  return nowMs - toldMs < QUIET_MS ? undefined : { type, status: 'True', reason: alone, message: '' };
};
