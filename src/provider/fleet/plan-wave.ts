/**
 * Which Macs of a fleet may be changed now (004-3): pure. One goes first; when it works with the new configuration, the
 * others follow in waves, and only while those before are well. A Mac that the configuration broke halts the rest by
 * itself; another configuration, or a Mac that got well, lets it go on. What is wanted may differ from Mac to Mac
 * (`hostCPU`): with each configuration one goes first, and turns, waves and the halt are those of the whole fleet.
 */

export interface RollMember {
  readonly id: string;
  /** Fingerprint that is wanted on it. */
  readonly wanted: string;
  /** Fingerprint last verified on it. */
  readonly recorded: string | undefined;
  /** Since when its Node is Ready; undefined while it is not. */
  readonly readySinceMs: number | undefined;
  /** False while it is prepared anew, because it has no Node, or one that has been away for long. */
  readonly isJoined: boolean;
  /** A push to it is under way. */
  readonly isPushing: boolean;
  /** The last push of what is wanted has failed. */
  readonly hasFailed: boolean;
  /** It was given up with the configuration that is wanted. */
  readonly hasGivenUp: boolean;
}

export interface WaveView {
  readonly nowMs: number;
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

export const planWave = ({ nowMs, members: all, settleMs, fraction }: WaveView): Wave => {
  const members = all.filter(isConcerned);
  const broken = members.filter(({ hasGivenUp }) => hasGivenUp).map(({ id }) => id);
  if (broken.length > 0) return { is: 'halted', because: broken };
  const old = members.filter((member) => !isNew(member));
  if (old.length === 0) return { is: 'done' };
  const isWell = ({ readySinceMs }: RollMember): boolean =>
    readySinceMs !== undefined && nowMs - readySinceMs >= settleMs;
  const changed = members.filter(isNew);
  const underWay = [...old.filter((member) => !isWaiting(member)), ...changed.filter((member) => !isWell(member))];
  const proven = new Set(changed.filter(isWell).map(({ wanted }) => wanted));
  const size = proven.size === 0 ? 1 : Math.max(1, Math.floor(members.length * fraction));
  const next = onePerUnproven(old.filter(isWaiting).toSorted(bySickness), { proven, underWay });
  const may = next.slice(0, Math.max(size - underWay.length, 0)).map(({ id }) => id);
  return { is: 'going', may, waitsFor: underWay.map(({ id }) => id) };
};

const isNew = ({ recorded, wanted }: RollMember): boolean => recorded === wanted;

/**
 * One that is being prepared gets what is wanted anyway, and nobody waits for it, unless it may be what is wanted that broke
 * it: it has that, or failed to get it.
 */
const isConcerned = (member: RollMember): boolean => member.isJoined || isNew(member) || member.hasFailed;

const isWaiting = ({ isJoined, isPushing }: RollMember): boolean => isJoined && !isPushing;

/** Of a configuration that no Mac has been well with, one goes first. */
const onePerUnproven = (
  waiting: readonly RollMember[],
  { proven, underWay }: { readonly proven: ReadonlySet<string>; readonly underWay: readonly RollMember[] },
): readonly RollMember[] => {
  const isFirst = (member: RollMember): boolean =>
    waiting.find(({ wanted }) => wanted === member.wanted) === member &&
    !underWay.some(({ wanted }) => wanted === member.wanted);
  return waiting.filter((member) => proven.has(member.wanted) || isFirst(member));
};

/** One that it failed on is tried again first. Those that do not work anyway come next: there is nothing to lose on them. */
const bySickness = (one: RollMember, other: RollMember): number => {
  const rank = ({ hasFailed, readySinceMs }: RollMember): number => {
    if (hasFailed) return 0;
    return readySinceMs === undefined ? 1 : 2;
  };
  return rank(one) - rank(other) || (one.id < other.id ? -1 : Number(one.id > other.id));
};
