import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planScaling } from './plan-scaling.ts';

/** `8 of 10+3` are eight replicas, told when ten were wanted and three more allowed. */
const parse = (text: string) => {
  const [, replicas, desired, surge] = /^(\d+)(?: of (\d+)\+(\d+))?$/.exec(text) ?? [];
  return {
    replicas: Number(replicas),
    desired: desired === undefined ? undefined : Number(desired),
    max: desired === undefined ? undefined : Number(desired) + Number(surge),
  };
};

interface Row {
  readonly story: string;
  readonly wanted: number;
  readonly surge: number;
  /** The oldest first. */
  readonly sets: readonly string[];
  readonly sizes: readonly number[] | undefined;
}

const ROWS: readonly Row[] = [
  { story: 'grows both in proportion', wanted: 30, surge: 3, sets: ['8 of 10+3', '5 of 10+3'], sizes: [20, 13] },
  { story: 'shrinks both in proportion', wanted: 5, surge: 1, sets: ['8 of 10+2', '4 of 10+2'], sizes: [4, 2] },
  {
    story: 'gives what is left over to the largest',
    wanted: 6,
    surge: 0,
    sets: ['2 of 5+0', '3 of 5+0'],
    sizes: [2, 4],
  },
  { story: 'of equals grows the newer', wanted: 3, surge: 0, sets: ['1 of 2+0', '1 of 2+0'], sizes: [1, 2] },
  { story: 'of equals shrinks the older', wanted: 3, surge: 0, sets: ['2 of 4+0', '2 of 4+0'], sizes: [1, 2] },
  {
    story: 'ends with nothing when nothing is wanted',
    wanted: 0,
    surge: 1,
    sets: ['3 of 4+1', '2 of 4+1'],
    sizes: [0, 0],
  },
  {
    story: 'leaves out sets without Pods',
    wanted: 8,
    surge: 0,
    sets: ['0 of 4+0', '2 of 4+0', '2 of 4+0'],
    sizes: [0, 4, 4],
  },
  {
    story: 'says nothing of a rollout that goes on',
    wanted: 10,
    surge: 3,
    sets: ['8 of 10+3', '5 of 10+3'],
    sizes: undefined,
  },
  { story: 'says nothing without a rollout', wanted: 5, surge: 1, sets: ['0 of 3+1', '3 of 3+1'], sizes: undefined },
  { story: 'says nothing of sets that were told nothing', wanted: 9, surge: 1, sets: ['3', '2'], sizes: undefined },
];

describe('a Deployment that is scaled during a rollout', () => {
  for (const { story, sets, sizes, ...scaling } of ROWS) {
    it(story, () => assert.deepEqual(planScaling({ ...scaling, sets: sets.map(parse) }), sizes));
  }
});
