/** When a failed request is sent again. Pure; the loop that obeys is in call.ts. */
import { type BackoffPolicy, backoffDelayMs } from '../../base/backoff.ts';
import { type FleetError, unreachable } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { Random } from '../../base/random.ts';
import type { KubeObject } from '../types/meta.ts';
import type { DeleteOptions, PatchBody } from './client.ts';
import { NOTHING_SENT } from './transport.ts';

/**
 * What a second sending can do: a `read` nothing; a `guarded` write nothing that the first did not do, because a
 * precondition (or the nature of apply) stops it; an `unguarded` one may do its work twice.
 */
export type Repetition = 'read' | 'guarded' | 'unguarded';

export interface RetryPolicy {
  /** Sendings in all. */
  readonly triesMax: number;
  readonly backoff: BackoffPolicy;
  /** A longer wait than this is left to the caller: nobody holds a worker for minutes. */
  readonly waitMaxMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  triesMax: 4,
  backoff: { initialMs: 200, factor: 2, maxMs: 5_000, minMs: 50 },
  waitMaxMs: 10_000,
};

export interface Failure {
  readonly error: FleetError;
  /** Sendings so far. */
  readonly tries: number;
  readonly repetition: Repetition;
}

/** The wait before the next sending, or undefined when there is to be none. */
export const decideRetryMs = (failure: Failure, policy: RetryPolicy, random: Random): number | undefined => {
  if (failure.tries >= policy.triesMax || !isRepeatable(failure)) return undefined;
  const waitMs = failure.error.retryAfterMs ?? backoffDelayMs(policy.backoff, failure.tries, random);
  return waitMs > policy.waitMaxMs ? undefined : waitMs;
};

const isRepeatable = ({ error, repetition }: Failure): boolean => {
  if (error.code === 'TooManyRequests' || error.code === NOTHING_SENT) return true;
  return error.kind === 'unavailable' && repetition !== 'unguarded';
};

/** A merge gives the same result twice, so naming the object's identity is enough; other patches must name the version. */
export const repetitionOfPatch = (patch: PatchBody): Repetition => {
  switch (patch.type) {
    case 'apply':
      return 'guarded';
    case 'json':
      return guardedIf(patch.body.some(setsVersion));
    case 'merge':
    case 'strategic-merge':
      return guardedIf(isSet(patch.body, 'resourceVersion') || isSet(patch.body, 'uid'));
    default:
      return unreachable(patch);
  }
};

export const repetitionOfUpdate = (object: KubeObject): Repetition => guardedIf(isSet(object, 'resourceVersion'));

/** Whatever a repeated delete finds under the same identity, the first one was to delete. */
export const repetitionOfDelete = ({ preconditions }: DeleteOptions): Repetition =>
  guardedIf(preconditions?.uid !== undefined || preconditions?.resourceVersion !== undefined);

const guardedIf = (condition: boolean): Repetition => (condition ? 'guarded' : 'unguarded');

const isSet = (object: unknown, field: 'resourceVersion' | 'uid'): boolean => {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const value = isRecord(metadata) ? metadata[field] : undefined;
  return typeof value === 'string' && value !== '';
};

/** Not a `test`: a server answers a failed one as it answers any patch that makes no sense, so nobody could tell why. */
const setsVersion = (operation: unknown): boolean =>
  isRecord(operation) && operation['op'] === 'replace' && operation['path'] === '/metadata/resourceVersion';
