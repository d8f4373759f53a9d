/**
 * Which Macs of a fleet may be changed now (004-3): pure. One goes first; when it works with the new configuration, the
 * others follow in waves, and only while those before are well. A Mac that the configuration broke halts the rest by
 * itself; another configuration, or a Mac that got well, lets it go on.
 */

export interface RollMember {
  readonly id: string;
  /** Fingerprint last verified on it. */
  readonly recorded: string | undefined;
  /** Since when its Node is Ready; undefined while it is not. */
  readonly readySinceMs: number | undefined;
  /** A push to it is under way. */
  readonly isPushing: boolean;
  /** It was given up with the configuration that is wanted. */
  readonly hasGivenUp: boolean;
}

export interface WaveView {
  readonly nowMs: number;
  readonly desired: string;
  readonly members: readonly RollMember[];
  /** How long a changed Mac has to be well before others follow. */
  readonly settleMs: number;
  /** The part of the fleet that is changed at once, after the first. */
  readonly fraction: number;
}

export type Wave =
  | { readonly is: 'done' }
  /** These may be changed; none when the next wave waits for the last one. */
  | { readonly is: 'going'; readonly may: readonly string[]; readonly waitsFor: readonly string[] }
  | { readonly is: 'halted'; readonly because: readonly string[] };

export const planWave = ({ nowMs, desired, members, settleMs, fraction }: WaveView): Wave => {
  const isNew = ({ recorded }: RollMember): boolean => recorded === desired;
  const old = members.filter((member) => !isNew(member) && !member.hasGivenUp);
  const broken = members.filter(({ hasGivenUp }) => hasGivenUp).map(({ id }) => id);
  if (broken.length > 0) return { is: 'halted', because: broken };
  if (old.length === 0) return { is: 'done' };
  const isWell = ({ readySinceMs }: RollMember): boolean =>
    readySinceMs !== undefined && nowMs - readySinceMs >= settleMs;
  const changed = members.filter(isNew);
  const underWay = [...old.filter(({ isPushing }) => isPushing), ...changed.filter((member) => !isWell(member))];
  const size = changed.length === 0 ? 1 : Math.max(1, Math.floor(members.length * fraction));
  const room = size - underWay.length;
  const next = old
    .filter(({ isPushing }) => !isPushing)
    .toSorted(bySickness)
    .slice(0, Math.max(room, 0));
  return { is: 'going', may: next.map(({ id }) => id), waitsFor: underWay.map(({ id }) => id) };
};

/** Those that do not work anyway come first: there is nothing to lose on them. */
const bySickness = (one: RollMember, other: RollMember): number => {
  const rank = ({ readySinceMs }: RollMember): number => (readySinceMs === undefined ? 0 : 1);
  return rank(one) - rank(other) || (one.id < other.id ? -1 : Number(one.id > other.id));
};
