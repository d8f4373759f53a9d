/**
 * How long a runner may wait for its job. Nobody can see from outside that a guest asks no more (R8, §7-28), and a guest of the original's
 * asks with the token that it found at its start, which ends after eight hours. So idle ones are replaced before, a few at a time. Pure.
 */
import { parseTimestamp } from '../../base/clock.ts';
import type { Pod } from '../../kube/types/pod.ts';
import { isRunning, upSinceOf } from '../runner-pod.ts';

/** An hour before the token ends: time for a pool to be renewed bit by bit. */
export const WARM_MAX_MS = 7 * 3_600_000;
/** How long one that finds no Mac counts as coming: there may never be one. */
const PLACED_WITHIN_MS = 300_000;

/** One that is not up does not wait for a job yet. */
const leftMs = (pod: Pod, nowMs: number): number =>
  isRunning(pod) ? (upSinceOf(pod) ?? nowMs) + WARM_MAX_MS - nowMs : Number.POSITIVE_INFINITY;

/** Whether it will be up soon, if all is well. */
const isComingUp = (pod: Pod, nowMs: number): boolean => {
  if (isRunning(pod)) return false;
  const bornMs = parseTimestamp(pod.metadata.creationTimestamp) ?? 0;
  return pod.spec.nodeName !== undefined || nowMs - bornMs < PLACED_WITHIN_MS;
};

/** The oldest first; those that are not up yet take room too. */
export const chooseOld = (
  pods: readonly Pod[],
  { nowMs, room }: { readonly nowMs: number; readonly room: number },
): readonly Pod[] =>
  pods
    .filter((pod) => leftMs(pod, nowMs) <= 0)
    .toSorted((left, right) => leftMs(left, nowMs) - leftMs(right, nowMs))
    .slice(0, Math.max(0, room - pods.filter((pod) => isComingUp(pod, nowMs)).length));

/** When to look again at those that stay; one whose time has come is held back for others. */
export const findNextOld = (staying: readonly Pod[], nowMs: number): number | undefined => {
  const lefts = staying.map((pod) => leftMs(pod, nowMs)).map((left) => (left > 0 ? left : PLACED_WITHIN_MS));
  const nextMs = Math.min(...lefts);
  return Number.isFinite(nextMs) ? nextMs : undefined;
};
