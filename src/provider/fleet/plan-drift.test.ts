import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { afterFailedPush, type DriftView, planDrift } from './plan-drift.ts';

const NOW = Date.UTC(2026, 0, 1);
const at = (agoMs: number): string => toTimestamp(NOW - agoMs);
const LIMITS = { cap: 5, retryAfterMs: 1_800_000, paceMs: 60_000 };
const failed = (failures: number, agoMs: number, failedHash = 'new') => ({
  failures,
  lastFailureAt: at(agoMs),
  failedHash,
});
const COUNTED = { at: at(0), isCounted: true };
const view = (given: Partial<DriftView>): DriftView => ({
  ...{ nowMs: NOW, desired: 'new', recorded: 'old', budget: { failures: 0 }, limits: LIMITS },
  ...given,
});

describe('whether a configuration is pushed anew', () => {
  const rows = [
    { story: 'T-01 not while it is the same', given: { recorded: 'new' }, plan: { do: 'nothing' } },
    { story: 'T-01 I-24 when it differs', given: {}, plan: { do: 'push' } },
    { story: 'T-01 when nothing was recorded', given: { recorded: undefined }, plan: { do: 'push' } },
    { story: 'T-01 never when there is none to push', given: { desired: '' }, plan: { do: 'nothing' } },
    {
      story: 'T-02 not at once after a failure',
      given: { budget: failed(1, 20_000) },
      plan: { do: 'wait', afterMs: 40_000 },
    },
    { story: 'T-04 again while it is below the cap', given: { budget: failed(4, 60_000) }, plan: { do: 'push' } },
    {
      story: 'T-03 no more at the cap',
      given: { budget: failed(5, 60_000) },
      plan: { do: 'give-up', afterMs: 1_740_000 },
    },
    {
      story: 'T-05 on and on without a cap',
      given: { budget: failed(100, 60_000), limits: { ...LIMITS, cap: 0 } },
      plan: { do: 'push' },
    },
    {
      story: 'T-08 I-28 again with another configuration',
      given: { budget: failed(5, 60_000, 'broken') },
      plan: { do: 'push' },
    },
    {
      story: 'T-08 again when the cooldown is over, to the moment',
      given: { budget: failed(5, 1_800_000) },
      plan: { do: 'push' },
    },
    {
      story: 'T-08 not a minute before',
      given: { budget: failed(5, 1_740_000) },
      plan: { do: 'give-up', afterMs: 60_000 },
    },
    {
      story: 'T-08 never by time alone without a cooldown',
      given: { budget: failed(5, 99_000_000), limits: { ...LIMITS, retryAfterMs: 0 } },
      plan: { do: 'give-up', afterMs: undefined },
    },
    {
      story: 'T-08 a failure without a time is long ago',
      given: { budget: { failures: 5, failedHash: 'new' } },
      plan: { do: 'push' },
    },
  ];
  for (const { story, given, plan } of rows) it(story, () => assert.deepEqual(planDrift(view(given)), plan));

  it('T-06 counts failures with one configuration, and notes when', () => {
    const first = afterFailedPush(view({}), COUNTED);
    assert.deepEqual(first, { failures: 1, lastFailureAt: at(0), failedHash: 'new' });
    assert.equal(afterFailedPush(view({ budget: first }), COUNTED).failures, 2);
  });

  it('does not count what says nothing about the Mac, but tries again later', () => {
    const uncounted = { ...COUNTED, isCounted: false };
    const first = afterFailedPush(view({}), uncounted);
    assert.deepEqual(planDrift(view({ budget: first })), { do: 'wait', afterMs: 60_000 });
    assert.equal(afterFailedPush(view({ budget: first }), uncounted).failures, 1);
    assert.equal(afterFailedPush(view({ budget: failed(3, 0) }), uncounted).failures, 3);
  });

  it('T-09 begins anew with another configuration, and after the cooldown', () => {
    assert.equal(afterFailedPush(view({ budget: failed(5, 0, 'broken') }), COUNTED).failures, 1);
    assert.equal(afterFailedPush(view({ budget: failed(5, 1_800_000) }), COUNTED).failures, 1);
  });
});
