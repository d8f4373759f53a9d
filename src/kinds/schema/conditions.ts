/**
 * `metav1.Condition`, strictly: Cluster API core decodes our conditions without checking them, so a loose schema could
 * crash it. Objects written by the Go original hold Cluster API's older conditions (no reason when True, a severity when
 * False); they are brought into this form whenever an object is read, so the next status save stores valid ones.
 */
import { parseTimestamp } from '../../base/clock.ts';
import { isRecord } from '../../base/json.ts';
import type { Condition, ConditionStatus } from '../../kube/types/meta.ts';
import { choice, int64, list, object, text, time } from './fields.ts';

const STATUSES: readonly ConditionStatus[] = ['True', 'False', 'Unknown'];
const LONGEST_TYPE = 316;
const LONGEST_REASON = 1_024;
const LONGEST_MESSAGE = 32_768;
const TYPE =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** Cluster API's own word for a condition that comes from before reasons were required. */
const NO_REASON_REPORTED = 'NoReasonReported';

const condition = object('One aspect of the state of this object.', {
  type: text('What the condition is about, in CamelCase.', { maxLength: LONGEST_TYPE, pattern: TYPE }),
  status: choice('Whether it holds: True, False or Unknown.', STATUSES),
  reason: text('Why, as one CamelCase word for programs.', {
    minLength: 1,
    maxLength: LONGEST_REASON,
    pattern: REASON,
  }),
  message: text('Why, as a sentence for people. May be empty.', { maxLength: LONGEST_MESSAGE }),
  lastTransitionTime: time('When the status last changed.'),
  observedGeneration: int64('The metadata.generation that the condition was computed from.', {
    minimum: 0,
  }).exactOptional(),
});

/** The `status.conditions` of every kind of ours. */
export const conditions = list('What is known about this object, one entry per type.', condition, {
  maxItems: 32,
  keys: ['type'],
});

/**
 * Valid conditions out of whatever is stored: what is valid stays as it is, a missing or malformed reason becomes
 * `NoReasonReported`, fields that are not of a condition go. Of two entries of one type the younger stays. An entry
 * without a usable type says nothing and goes. A missing transition time becomes `fallbackTime`.
 */
export const normaliseConditions = (stored: readonly unknown[], fallbackTime: string): readonly Condition[] => {
  const byType = new Map<string, Condition>();
  for (const entry of stored) {
    const next = toCondition(entry, fallbackTime);
    const earlier = next && byType.get(next.type);
    if (next === undefined || (earlier && isYounger(earlier, next))) continue;
    byType.set(next.type, next);
  }
  return [...byType.values()];
};

const toCondition = (entry: unknown, fallbackTime: string): Condition | undefined => {
  if (!isRecord(entry) || !fits(entry['type'], TYPE, LONGEST_TYPE)) return undefined;
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = entry;
  return {
    type,
    status: STATUSES.find((known) => known === status) ?? 'Unknown',
    reason: fits(reason, REASON, LONGEST_REASON) ? reason : NO_REASON_REPORTED,
    message: typeof message === 'string' ? message.slice(0, LONGEST_MESSAGE) : '',
    lastTransitionTime: isTime(lastTransitionTime) ? lastTransitionTime : fallbackTime,
    ...(isGeneration(observedGeneration) && { observedGeneration }),
  };
};

const fits = (value: unknown, pattern: RegExp, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength && pattern.test(value);

const isTime = (value: unknown): value is string => condition.shape.lastTransitionTime.safeParse(value).success;

const isGeneration = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const isYounger = (left: Condition, right: Condition): boolean =>
  (parseTimestamp(left.lastTransitionTime) ?? 0) > (parseTimestamp(right.lastTransitionTime) ?? 0);
