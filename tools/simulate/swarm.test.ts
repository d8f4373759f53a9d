import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addSummary, NO_SCHEDULES, renderUnreached, splitSeeds } from './swarm.ts';

describe('seeds that are shared among workers', () => {
  const cases = [
    { story: 'all of one size', from: 1, count: 200, size: 100, expected: [1, 101], last: 100 },
    { story: 'the last one smaller', from: 5, count: 250, size: 100, expected: [5, 105, 205], last: 50 },
    { story: 'one that is not full', from: 1, count: 7, size: 100, expected: [1], last: 7 },
  ];
  for (const { story, from: first, count, size, expected, last } of cases) {
    it(`come in chunks, ${story}`, () => {
      const chunks = splitSeeds(first, count, size);
      assert.deepEqual(
        chunks.map(({ from }) => from),
        expected,
      );
      assert.equal(chunks.at(-1)?.count, last);
    });
  }

  it('add up, mark by mark', () => {
    const summary = { schedules: 2, violations: 1, events: 10, virtualHours: 12, ratePerMinute: 5, marks: { a: 1 } };
    const once = addSummary(NO_SCHEDULES, summary, 100);
    const { marks, ...counts } = addSummary(once, { ...summary, marks: { a: 2, b: 3 } }, 50);
    assert.deepEqual(counts, { schedules: 4, violations: 2, events: 20, virtualHours: 24, cpuMs: 150 });
    assert.deepEqual(marks, { a: 3, b: 3 });
  });
});

describe('what many schedules reached too rarely', () => {
  const missed = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const rows = [
    { story: 'is not spoken of when there is none', missed: [], named: 'some', is: '' },
    { story: 'is named when it is little', missed: ['a', 'b'], named: 'some', is: /^2 reached .*: a, b\n$/ },
    { story: 'is counted, and the first few are named', missed, named: 'some', is: /^7 reached .*: a, b, c, d, e, … / },
    {
      story: 'is named in full where that is asked for',
      missed,
      named: 'all',
      is: /^7 reached .*:\n( {2}[a-g]\n){7}$/,
    },
  ] as const;
  for (const { story, missed: these, named, is } of rows) {
    it(story, () => {
      const text = renderUnreached(these, named);
      if (typeof is === 'string') assert.equal(text, is);
      else assert.match(text, is);
    });
  }
});
