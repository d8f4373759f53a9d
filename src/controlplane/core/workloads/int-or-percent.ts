/** Numbers that may be a share of another one: `3` or `25%`. Pure. */
import type { IntOrPercent } from './replicated.ts';

/** What cannot be read is 0: the API refuses it before it comes here. */
export const scaleOf = (value: IntOrPercent, total: number, rounding: 'up' | 'down'): number => {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const share = (Number(percent) * total) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
};

export interface RolloutLimits {
  readonly surge: number;
  readonly unavailable: number;
}

/** How far a rollout may leave the wanted number; both 0 would never move, so that one may then be missing. */
export const limitsOf = (
  {
    maxSurge = '25%',
    maxUnavailable = '25%',
  }: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent },
  wanted: number,
): RolloutLimits => {
  const surge = scaleOf(maxSurge, wanted, 'up');
  const unavailable = Math.min(wanted, scaleOf(maxUnavailable, wanted, 'down'));
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
};
