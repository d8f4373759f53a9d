/**
 * Pools of one fleet share its Macs (§3.11). Work that is there gets its runners whatever the room; what is left goes to the
 * floors, then to the headroom, each in proportion where it is not enough. Pure.
 */

export interface Claimant {
  readonly name: string;
  /** Never more than this. */
  readonly target: number;
  readonly load: number;
  readonly floor: number;
  /** What one runner takes of the room, in the same unit as the room. */
  readonly cost: number;
}

interface Wish {
  readonly name: string;
  readonly want: number;
  readonly cost: number;
}

/** Each gets at least `min(load, target)` and at most its target. */
export const allocate = (claimants: readonly Claimant[], room: number): ReadonlyMap<string, number> => {
  const load = ({ load: has, target }: Claimant): number => Math.min(has, target);
  const floorTop = (claimant: Claimant): number => Math.min(Math.max(claimant.floor, load(claimant)), claimant.target);
  const wishes = (want: (claimant: Claimant) => number): readonly Wish[] =>
    claimants.map((claimant) => ({ name: claimant.name, want: want(claimant), cost: claimant.cost }));
  const granted = new Map(claimants.map((claimant) => [claimant.name, load(claimant)]));
  const spent = claimants.reduce((sum, claimant) => sum + load(claimant) * claimant.cost, 0);
  const tiers = [
    wishes((claimant) => floorTop(claimant) - load(claimant)),
    wishes((claimant) => claimant.target - floorTop(claimant)),
  ];
  let left = Math.max(0, room - spent);
  for (const tier of tiers) {
    const asked = tier.reduce((sum, { want, cost }) => sum + want * cost, 0);
    const fits = asked <= left + ROUNDING;
    for (const { name, want } of tier)
      granted.set(name, (granted.get(name) ?? 0) + (fits ? want : share(want, left / asked)));
    if (!fits) break;
    left -= asked;
  }
  return granted;
};

/** Costs are fractions of Macs: 3 × ⅓ is not quite 1. */
const ROUNDING = 1e-9;

const share = (want: number, part: number): number => Math.floor(want * part + ROUNDING);
