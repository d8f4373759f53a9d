import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Condition } from '../types/meta.ts';
import { setCondition, summarizeConditions } from './conditions.ts';
import type { ConditionReport } from './outcome.ts';

const T0 = Date.UTC(2026, 0, 1);
const report = (overrides: Partial<ConditionReport> = {}): ConditionReport => ({
  type: 'Bootstrapped',
  status: 'False',
  reason: 'Working',
  message: 'step 1 of 3',
  ...overrides,
});
const at = (nowMs: number, generation = 1) => ({ nowMs, generation });
const typed = (type: string, status: Condition['status'], message = ''): Condition => ({
  type,
  status,
  message,
  reason: `${type}Reason`,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('setCondition', () => {
  it('stamps a new condition with the time and the generation', () => {
    assert.deepEqual(setCondition(undefined, report(), at(T0, 4)), [
      { ...report(), lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: 4 },
    ]);
  });

  it('keeps the transition time when only reason or message change', () => {
    const first = setCondition([], report(), at(T0));
    const second = setCondition(first, report({ message: 'step 2 of 3' }), at(T0 + 60_000));
    assert.equal(second[0]?.lastTransitionTime, '2026-01-01T00:00:00Z');
    assert.equal(second[0]?.message, 'step 2 of 3');
  });

  it('moves the transition time when the status changes', () => {
    const first = setCondition([], report(), at(T0));
    const second = setCondition(first, report({ status: 'True' }), at(T0 + 60_000));
    assert.equal(second[0]?.lastTransitionTime, '2026-01-01T00:01:00Z');
  });

  it('gives back the very same list when nothing changed, so that nothing is saved', () => {
    const first = setCondition([], report(), at(T0));
    assert.equal(setCondition(first, report(), at(T0 + 60_000)), first);
  });

  it('puts Available and Ready first, Deleting and Paused last, the others by name', () => {
    let conditions: readonly Condition[] = [];
    for (const type of ['Paused', 'Zebra', 'Ready', 'Deleting', 'Apple', 'Available']) {
      conditions = setCondition(conditions, report({ type }), at(T0));
    }
    assert.deepEqual(
      conditions.map(({ type }) => type),
      ['Available', 'Ready', 'Apple', 'Zebra', 'Deleting', 'Paused'],
    );
  });
});

describe('summarizeConditions', () => {
  const rows = [
    { story: 'all true is true', given: [typed('A', 'True'), typed('B', 'True')], status: 'True', reason: 'Ready' },
    {
      story: 'one false gives its own reason',
      given: [typed('A', 'True'), typed('B', 'False', 'no host')],
      status: 'False',
      reason: 'BReason',
    },
    {
      story: 'false outweighs unknown',
      given: [typed('A', 'Unknown'), typed('B', 'False', 'no host')],
      status: 'False',
      reason: 'BReason',
    },
    {
      story: 'what nobody reported yet is unknown',
      given: [typed('A', 'True')],
      status: 'Unknown',
      reason: 'NotYetReported',
    },
    {
      story: 'several issues get a common reason',
      given: [typed('A', 'False'), typed('B', 'False')],
      status: 'False',
      reason: 'NotReady',
    },
  ] as const;
  for (const { story, given, status, reason } of rows) {
    it(story, () => {
      const summary = summarizeConditions(given, { type: 'Ready', of: ['A', 'B'] });
      assert.deepEqual([summary.status, summary.reason], [status, reason]);
    });
  }

  it('names every condition that stands in the way', () => {
    const summary = summarizeConditions([typed('A', 'False', 'no host'), typed('B', 'False', 'no key')], {
      type: 'Ready',
      of: ['A', 'B'],
    });
    assert.equal(summary.message, 'A: no host; B: no key');
  });

  it('does not say twice what one of them says of another', () => {
    const given = [typed('A', 'False', 'preparing: no key'), typed('B', 'False', 'no key')];
    const summary = summarizeConditions(given, { type: 'Ready', of: ['A', 'B'] });
    assert.deepEqual([summary.message, summary.reason], ['A: preparing: no key', 'AReason']);
  });
});
