/**
 * A Deployment that is scaled in the middle of a rollout: all sets that have Pods grow or shrink in proportion, so that a
 * rollout that is stuck does not get all that is new. What a set was told when it was last scaled is in its annotations. Pure.
 */

export interface ScaledSet {
  readonly replicas: number;
  /** How many the Deployment wanted when this set was last scaled, if that is known. */
  readonly desired: number | undefined;
  /** How many it might have had then, with its surge. */
  readonly max: number | undefined;
}

export interface Scaling {
  readonly wanted: number;
  readonly surge: number;
  /** The oldest first; the last is the present one. */
  readonly sets: readonly ScaledSet[];
}

/** The size of each set, in their order; undefined when the Deployment was not scaled, or is not in a rollout. */
export const planScaling = ({ wanted, surge, sets }: Scaling): readonly number[] | undefined => {
  const active = sets.map((set, at) => ({ ...set, at })).filter(({ replicas }) => replicas > 0);
  const isScaled = active.some(({ desired }) => desired !== undefined && desired !== wanted);
  if (active.length < 2 || !isScaled || sets.at(-1)?.replicas === wanted) return undefined;
  const max = wanted === 0 ? 0 : wanted + surge;
  const toAdd = max - active.reduce((sum, { replicas }) => sum + replicas, 0);
  const isGrowing = toAdd > 0;
  const ranked = active.toSorted((left, right) => {
    const byAge = isGrowing ? right.at - left.at : left.at - right.at;
    return right.replicas - left.replicas || byAge;
  });
  const sizes = sets.map(({ replicas }) => replicas);
  let left = toAdd;
  for (const set of ranked) {
    const share = shareOf(set, { wanted, max });
    const change = isGrowing ? Math.min(share, left) : Math.max(share, left);
    sizes[set.at] = set.replicas + change;
    left -= change;
  }
  const [largest] = ranked;
  if (largest !== undefined) sizes[largest.at] = Math.max(0, (sizes[largest.at] ?? 0) + left);
  return sizes;
};

/** By how much the set would change if all of it were divided by the old proportions. */
const shareOf = (
  { replicas, max: before }: ScaledSet,
  { wanted, max }: { readonly wanted: number; readonly max: number },
): number => {
  if (wanted === 0) return -replicas;
  return before === undefined || before === 0 ? 0 : Math.round((replicas * max) / before) - replicas;
};
