import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limitsOf, scaleOf } from './int-or-percent.ts';
import { planRollout } from './plan-rollout.ts';
import type { IntOrPercent } from './replicated.ts';

/** `3/2` are three replicas, two of them available. */
const parse = (text: string) => {
  const [replicas = 0, available = 0] = text.split('/').map(Number);
  return { replicas, available };
};

describe('a step of a rolling update', () => {
  const rows: readonly {
    readonly story: string;
    readonly wanted: number;
    readonly limits: readonly [surge: number, unavailable: number];
    readonly current: string;
    readonly older: readonly string[];
    readonly step: readonly [current: number, ...older: readonly number[]];
  }[] = [
    { story: 'begins with one more', wanted: 3, limits: [1, 0], current: '0/0', older: ['3/3'], step: [1, 3] },
    { story: 'waits for the new one', wanted: 3, limits: [1, 0], current: '1/0', older: ['3/3'], step: [1, 3] },
    { story: 'takes an old one away', wanted: 3, limits: [1, 0], current: '1/1', older: ['3/3'], step: [1, 2] },
    { story: 'goes on growing', wanted: 3, limits: [1, 0], current: '1/1', older: ['2/2'], step: [2, 2] },
    { story: 'ends with none of the old', wanted: 3, limits: [1, 0], current: '3/3', older: ['1/1'], step: [3, 0] },
    { story: 'shrinks first without a surge', wanted: 3, limits: [0, 1], current: '0/0', older: ['3/3'], step: [0, 2] },
    { story: 'then grows into the gap', wanted: 3, limits: [0, 1], current: '0/0', older: ['2/2'], step: [1, 2] },
    {
      story: 'drops sick old ones first',
      wanted: 3,
      limits: [1, 1],
      current: '1/0',
      older: ['1/1', '2/0'],
      step: [1, 1, 1],
    },
    {
      story: 'drops the oldest of the well',
      wanted: 2,
      limits: [1, 1],
      current: '1/1',
      older: ['1/1', '1/1'],
      step: [1, 0, 0],
    },
    { story: 'shrinks the present set to the wish', wanted: 1, limits: [1, 0], current: '3/3', older: [], step: [1] },
    { story: 'grows at once when nothing is old', wanted: 5, limits: [1, 0], current: '0/0', older: [], step: [5] },
    { story: 'is done', wanted: 3, limits: [1, 0], current: '3/3', older: ['0/0'], step: [3, 0] },
  ];
  for (const {
    story,
    wanted,
    limits: [surge, unavailable],
    current,
    older,
    step,
  } of rows) {
    it(story, () => {
      const planned = planRollout({
        wanted,
        limits: { surge, unavailable },
        current: parse(current),
        older: older.map(parse),
      });
      assert.deepEqual([planned.current, ...planned.older], step);
    });
  }
});

describe('a number or a share of another', () => {
  const rows: readonly (readonly [IntOrPercent, number, number, number])[] = [
    [3, 10, 3, 3],
    ['25%', 10, 3, 2],
    ['100%', 7, 7, 7],
    ['0%', 7, 0, 0],
    ['x', 7, 0, 0],
  ];
  for (const [value, total, up, down] of rows) {
    it(`${value} of ${total} is ${up} rounded up and ${down} rounded down`, () => {
      assert.deepEqual([scaleOf(value, total, 'up'), scaleOf(value, total, 'down')], [up, down]);
    });
  }

  it('never leaves a rollout without a way to move', () => {
    assert.deepEqual(limitsOf({ maxSurge: 0, maxUnavailable: '10%' }, 3), { surge: 0, unavailable: 1 });
    assert.deepEqual(limitsOf({}, 4), { surge: 1, unavailable: 1 });
  });
});
