/** `metav1` conditions: set, summarised and ordered the way Cluster API's own are. All pure. */
import { toTimestamp } from '../../base/clock.ts';
import { isEqualJson } from '../../base/json.ts';
import type { Condition, ConditionStatus } from '../types/meta.ts';
import type { ConditionReport } from './outcome.ts';

export interface ConditionMoment {
  readonly nowMs: number;
  /** The generation of the spec that the report speaks of. */
  readonly generation: number | undefined;
}

/** Sets one condition. Its transition time moves only when its status does; an equal one changes nothing at all. */
export const setCondition = (
  conditions: readonly Condition[] | undefined,
  report: ConditionReport,
  { nowMs, generation }: ConditionMoment,
): readonly Condition[] => {
  const earlier = conditions?.find(({ type }) => type === report.type);
  const next: Condition = {
    type: report.type,
    status: report.status,
    reason: report.reason,
    message: report.message,
    lastTransitionTime: earlier?.status === report.status ? earlier.lastTransitionTime : toTimestamp(nowMs),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  if (conditions !== undefined && isEqualJson(earlier, next)) return conditions;
  return [...(conditions ?? []).filter(({ type }) => type !== report.type), next].sort(byImportance);
};

const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

const FIRST = ['Available', 'Ready'];
const LAST = ['Deleting', 'Paused'];

const rank = (type: string): number => {
  if (FIRST.includes(type)) return FIRST.indexOf(type) - FIRST.length;
  return LAST.indexOf(type) + 1;
};

const byImportance = (left: Condition, right: Condition): number =>
  rank(left.type) - rank(right.type) || (left.type < right.type ? -1 : 1);

const SUMMARY_REASON: Readonly<Record<ConditionStatus, string>> = {
  True: 'Ready',
  False: 'NotReady',
  Unknown: 'ReadyUnknown',
};

/**
 * One condition out of several: False if any is False, else Unknown if any is Unknown or not yet reported, else True.
 * The message names every one that stands in the way, but for what another of them says already.
 */
export const summarizeConditions = (
  conditions: readonly Condition[] | undefined,
  summary: { readonly type: string; readonly of: readonly string[] },
): ConditionReport => {
  const parts = summary.of.map((type) => findCondition(conditions, type) ?? notYetReported(type));
  const issues = parts.filter(({ status }) => status === 'False');
  const unknowns = parts.filter(({ status }) => status === 'Unknown');
  const blocking = issues.length > 0 ? issues : unknowns;
  const status: ConditionStatus = issues.length > 0 ? 'False' : unknowns.length > 0 ? 'Unknown' : 'True';
  const [only, ...others] = blocking.filter((one) => !isSaidBefore(one, blocking));
  return {
    type: summary.type,
    status,
    reason: only !== undefined && others.length === 0 ? only.reason : SUMMARY_REASON[status],
    message: [only, ...others]
      .filter((one) => one !== undefined)
      .map(({ type, reason, message }) => `${type}: ${message || reason}`)
      .join('; '),
  };
};

const isSaidBefore = (one: Pick<Condition, 'message'>, blocking: readonly Pick<Condition, 'message'>[]): boolean =>
  one.message !== '' && blocking.slice(0, blocking.indexOf(one)).some(({ message }) => message.includes(one.message));

const notYetReported = (type: string): Pick<Condition, 'type' | 'status' | 'reason' | 'message'> => ({
  type,
  status: 'Unknown',
  reason: 'NotYetReported',
  message: 'not yet reported',
});
