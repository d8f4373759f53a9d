/**
 * In which order things happened that Kubernetes dates to the same second. Pure.
 *
 * What has a finer time (MicroTime, as `eventTime`) goes by it. What has none goes from cause to effect, by RANKS; events of one
 * second by the version at which each was stored. Both rows are then merged without a change in either, by RANKS again, so
 * that the order is the same however the moments came.
 */
import { parseTimestamp } from '../../base/clock.ts';

/** From cause to effect, for what happened within one second. */
const RANKS = [
  'made',
  /** A person or a controller wants something: a release, a reboot, a place for a Pod. */
  'asked',
  /** What was asked of the cloud, and seen there. */
  'cloud',
  /** Work begins: a Mac is to be prepared, its Node takes up a Pod. */
  'begun',
  'step',
  /** The work that the steps were of is over. */
  'over',
  'container',
  /** What was made of it: the state of a Mac. */
  'state',
  'condition',
  /** A condition that sums up the others. */
  'summary',
  /** Events follow the save. */
  'event',
  /** A deadline, which has no cause in that second. */
  'ahead',
] as const;

export type Rank = (typeof RANKS)[number];

export interface Dated {
  /** RFC 3339. */
  readonly at: string;
  readonly rank: Rank;
  /** The resourceVersion at which it was stored, where that is known of this very moment. */
  readonly version?: string | undefined;
}

export const orderMoments = <T extends Dated>(moments: readonly T[]): readonly T[] => {
  const bySecond = Map.groupBy(moments, ({ at }) => Math.floor((parseTimestamp(at) ?? 0) / 1_000));
  return [...bySecond]
    .toSorted(([left], [right]) => left - right)
    .flatMap(([, within]) =>
      merge(
        within.filter((moment) => fractionOf(moment) === undefined).toSorted(byCause),
        within.filter((moment) => fractionOf(moment) !== undefined).toSorted(byFraction),
      ),
    );
};

const NANOS = 9;

/** Nanoseconds within the second; undefined where only the second is known. */
const fractionOf = ({ at }: Dated): number | undefined => {
  const [, digits] = /\.(\d+)/.exec(at) ?? [];
  return digits === undefined ? undefined : Number(digits.slice(0, NANOS).padEnd(NANOS, '0'));
};

const byFraction = (left: Dated, right: Dated): number =>
  (fractionOf(left) ?? 0) - (fractionOf(right) ?? 0) || byCause(left, right);

const byCause = (left: Dated, right: Dated): number =>
  RANKS.indexOf(left.rank) - RANKS.indexOf(right.rank) || Number(versionOf(left) - versionOf(right));

/** Versions are whole numbers that only grow. What has none is older: an event that was told again since has lost its first one. */
const versionOf = ({ version = '' }: Dated): bigint => (/^\d+$/.test(version) ? BigInt(version) : -1n);

const merge = <T extends Dated>(coarse: readonly T[], fine: readonly T[]): readonly T[] => {
  const merged: T[] = [];
  let taken = 0;
  for (const moment of coarse) {
    const before = fine.slice(taken).findIndex((other) => byCause(other, moment) >= 0);
    const until = before < 0 ? fine.length : taken + before;
    merged.push(...fine.slice(taken, until), moment);
    taken = until;
  }
  return [...merged, ...fine.slice(taken)];
};
