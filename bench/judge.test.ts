import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Benchmark, Figure, Goal, Sample } from './benchmark.ts';
import { type FigureResult, judge, median } from './judge.ts';

const never = async (): Promise<Sample> => ({});
const alone = (...figures: readonly Figure[]): Benchmark => ({ id: 'b', about: '', figures, ours: never });
const compared = (...figures: readonly Figure[]): Benchmark => ({ ...alone(...figures), peer: never });
const samples = (...values: readonly number[]): readonly Sample[] => values.map((value) => ({ x: value }));
const AT_MOST_HALF: Goal = { of: 'ratio', is: '<=', value: 0.5 };

describe('the judgement of a figure', () => {
  interface Row {
    readonly story: string;
    readonly goal?: Goal;
    readonly bench?: 'alone';
    readonly ours: readonly number[];
    readonly peer: readonly number[];
    readonly want: Partial<FigureResult>;
  }
  const rows: readonly Row[] = [
    {
      story: 'takes the median of each side and divides ours by the peer',
      ...{ ours: [3, 1, 100], peer: [4, 4, 1] },
      want: { ours: 3, peer: 4, ratio: 0.75, goal: null, met: null },
    },
    { story: 'meets a goal exactly', goal: AT_MOST_HALF, ours: [1], peer: [2], want: { ratio: 0.5, met: true } },
    {
      story: 'misses a goal by little',
      goal: AT_MOST_HALF,
      ours: [1.001],
      peer: [2],
      want: { ratio: 0.5005, met: false },
    },
    {
      story: 'judges what it prints, not what it rounded away',
      ...{ goal: AT_MOST_HALF, ours: [1.00001], peer: [2] },
      want: { ours: 1, ratio: 0.5, met: true },
    },
    {
      story: 'meets a lower bound from above',
      ...{ goal: { of: 'ratio', is: '>=', value: 5 } as const, ours: [60], peer: [10] },
      want: { met: true, goal: 'ratio >= 5' },
    },
    {
      story: 'holds ours to a number of its own, whatever the peer does',
      ...{ goal: { of: 'ours', is: '=', value: 1 } as const, ours: [1], peer: [100] },
      want: { peer: 100, met: true, goal: 'ours = 1' },
    },
    {
      story: 'misses an exact number by one',
      ...{ goal: { of: 'ours', is: '=', value: 1 } as const, ours: [2], peer: [100] },
      want: { met: false },
    },
    {
      story: 'never meets a goal without the peer',
      ...{ goal: AT_MOST_HALF, ours: [1], peer: [] },
      want: { ours: 1, peer: null, ratio: null, met: null },
    },
    {
      story: 'never meets even a goal of its own when the peer is missing',
      ...{ goal: { of: 'ours', is: '=', value: 1 } as const, ours: [1], peer: [] },
      want: { met: null },
    },
    {
      story: 'needs no peer where there is none to have',
      ...{ bench: 'alone' as const, goal: { of: 'ours', is: '>=', value: 10 } as const, ours: [9, 11, 12], peer: [] },
      want: { ours: 11, met: true },
    },
    {
      story: 'gives no ratio to a peer of zero',
      ...{ goal: AT_MOST_HALF, ours: [0], peer: [0] },
      want: { ours: 0, peer: 0, ratio: null, met: null },
    },
  ];
  for (const { story, goal, bench, ours, peer, want } of rows) {
    test(story, () => {
      const figure = goal === undefined ? { name: 'x' } : { name: 'x', goal };
      const benchmark = bench === 'alone' ? alone(figure) : compared(figure);
      const [result] = judge(benchmark, { ours: samples(...ours), peer: samples(...peer) });
      assert.deepEqual({ ...result, ...want }, result);
    });
  }

  test('leaves a figure open that no sample has', () => {
    const [result] = judge(compared({ name: 'y', goal: AT_MOST_HALF }), { ours: samples(1), peer: samples(1) });
    assert.deepEqual(result, {
      ...{ bench: 'b', figure: 'y', ours: null, peer: null, ratio: null },
      ...{ goal: 'ratio <= 0.5', met: null },
    });
  });
});

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([5]), 5);
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([10, 2, 9, 1]), 5.5);
});
