/**
 * How a rolling update moves from older sets to the present one, in the steps of Kubernetes' Deployments and Cluster
 * API's MachineDeployments: first the present set grows as far as the surge allows, then older ones shrink as far as
 * enough stay available. One call plans one step. Pure.
 */
import type { RolloutLimits } from './int-or-percent.ts';

export interface RolloutSet {
  readonly replicas: number;
  readonly available: number;
}

export interface Rollout {
  readonly wanted: number;
  readonly limits: RolloutLimits;
  readonly current: RolloutSet;
  /** The oldest first. */
  readonly older: readonly RolloutSet[];
}

export interface RolloutStep {
  readonly current: number;
  /** In the order of `Rollout.older`. */
  readonly older: readonly number[];
}

export const planRollout = (rollout: Rollout): RolloutStep => {
  const older = rollout.older.map(({ replicas }) => replicas);
  const grown = planCurrent(rollout);
  if (grown !== rollout.current.replicas) return { current: grown, older };
  return { current: grown, older: planOlder(rollout) };
};

const planCurrent = ({ wanted, limits, current, older }: Rollout): number => {
  if (current.replicas >= wanted) return wanted;
  const room = wanted + limits.surge - current.replicas - sum(older, ({ replicas }) => replicas);
  return room <= 0 ? current.replicas : Math.min(wanted, current.replicas + room);
};

/** Replicas that are not available go first: they serve nobody. */
const planOlder = ({ wanted, limits, current, older }: Rollout): readonly number[] => {
  const least = wanted - limits.unavailable;
  const total = current.replicas + sum(older, ({ replicas }) => replicas);
  const maxFewer = total - least - (current.replicas - current.available);
  if (maxFewer <= 0) return older.map(({ replicas }) => replicas);
  const cleaned = take(older, maxFewer, ({ replicas, available }) => Math.max(0, replicas - available));
  const available = current.available + sum(older, (set) => set.available);
  return take(cleaned, available - least, ({ replicas }) => replicas).map(({ replicas }) => replicas);
};

/** Takes up to `count` replicas away, from each set at most what `spare` says. */
const take = (
  sets: readonly RolloutSet[],
  count: number,
  spare: (set: RolloutSet) => number,
): readonly RolloutSet[] => {
  let left = Math.max(0, count);
  return sets.map((set) => {
    const fewer = Math.min(left, spare(set));
    left -= fewer;
    return { ...set, replicas: set.replicas - fewer };
  });
};

const sum = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((total, item) => total + count(item), 0);
