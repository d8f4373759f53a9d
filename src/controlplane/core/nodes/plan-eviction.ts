/** When a Pod must leave its Node because of NoExecute taints. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import { isTolerated } from '../scheduling/node-fit.ts';
import type { SchedulablePod } from '../scheduling/schedulable.ts';
import { NOT_READY, type Taint, UNREACHABLE } from './plan-node.ts';

/** What Kubernetes' admission writes into every Pod that says nothing about these two taints. */
const DEFAULT_SECONDS = 300;

/** The time at which it must go: at once is `nowMs`, never is undefined. */
export const planEviction = (pod: SchedulablePod, taints: readonly Taint[], nowMs: number): number | undefined => {
  const ends = taints.filter(({ effect }) => effect === 'NoExecute').flatMap((taint) => endOf(pod, taint, nowMs) ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
};

const endOf = (pod: SchedulablePod, taint: Taint, nowMs: number): number | undefined => {
  const tolerations = (pod.spec.tolerations ?? []).filter((toleration) => isTolerated(taint, toleration));
  const sinceMs = parseTimestamp(taint.timeAdded) ?? nowMs;
  if (tolerations.length === 0) {
    const isOurs = taint.key === NOT_READY || taint.key === UNREACHABLE;
    return isOurs ? sinceMs + DEFAULT_SECONDS * 1_000 : nowMs;
  }
  const seconds = tolerations.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return seconds.length === 0 ? undefined : sinceMs + Math.max(0, Math.min(...seconds)) * 1_000;
};
