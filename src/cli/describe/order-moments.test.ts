import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Dated, orderMoments, type Rank } from './order-moments.ts';

interface Row {
  readonly story: string;
  /** In the order in which they are to come: seconds past eleven, rank and version. */
  readonly ordered: readonly (readonly [at: string, rank: Rank, version?: string])[];
}

const ROWS: readonly Row[] = [
  {
    story: 'another second comes first, whatever its rank',
    ordered: [
      ['01', 'event'],
      ['02', 'made'],
    ],
  },
  {
    story: 'within a second causes come before what follows from them',
    ordered: [
      ['01', 'made'],
      ['01', 'asked'],
      ['01', 'cloud'],
      ['01', 'begun'],
      ['01', 'step'],
      ['01', 'over'],
      ['01', 'container'],
      ['01', 'state'],
      ['01', 'condition'],
      ['01', 'summary'],
      ['01', 'event'],
      ['01', 'ahead'],
    ],
  },
  {
    story: 'events come as they were stored, by number and not by text',
    ordered: [
      ['01', 'event', '9'],
      ['01', 'event', '10'],
      ['01', 'event', '9007199254740993'],
      ['01', 'event', '9007199254740994'],
    ],
  },
  {
    story: 'what has no version, or one that is no number, is older than what has one',
    ordered: [
      ['01', 'event', 'x'],
      ['01', 'event', '1'],
    ],
  },
  {
    story: 'finer times decide before ranks, to the microsecond, however they are written',
    ordered: [
      ['01.000001', 'event'],
      ['01.000002', 'made'],
      ['01.4', 'event'],
      ['01.45', 'cloud'],
      ['01.450001000', 'asked'],
    ],
  },
  {
    story: 'what has only seconds stands among finer times by its rank, and moves none of them',
    ordered: [
      ['01', 'made'],
      ['01.200000', 'step'],
      ['01', 'container'],
      ['01.300000', 'event', '7'],
      ['01', 'event', '8'],
      ['01.900000', 'event', '9'],
    ],
  },
  {
    story: 'a finer effect that came before a finer cause stays before it',
    ordered: [
      ['01', 'state'],
      ['01.100000', 'event'],
      ['01.200000', 'made'],
    ],
  },
];

/** Every order in which so many can come. */
const permute = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  all.length <= 1 ? [all] : all.flatMap((one, at) => permute(all.toSpliced(at, 1)).map((rest) => [one, ...rest]));

const EVERY_ORDER_UP_TO = 6;

describe('the order of moments', () => {
  for (const { story, ordered } of ROWS) {
    it(story, () => {
      const moments = ordered.map(
        ([at, rank, version]): Dated => ({ at: `2026-11-17T11:00:${at}Z`, rank, ...(version && { version }) }),
      );
      const ways = moments.length <= EVERY_ORDER_UP_TO ? permute(moments) : [moments, moments.toReversed()];
      for (const heard of ways) assert.deepEqual(orderMoments(heard), moments);
    });
  }
  it('keeps the order of telling where nothing decides', () => {
    const twins = ['a', 'b', 'c'].map((who) => ({ at: '2026-11-17T11:00:01Z', rank: 'made' as const, who }));
    assert.deepEqual(orderMoments(twins), twins);
  });
});
