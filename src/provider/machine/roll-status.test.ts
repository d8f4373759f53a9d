import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMacHost } from '../../kinds/mac-host.ts';
import { rollStatusOf } from './roll-status.ts';

const LIMITS = { cap: 5, retryAfterMs: 0, paceMs: 0 };
const AT = '2026-01-01T00:00:00Z';
const statusWith = (roll: object, limits = LIMITS) =>
  rollStatusOf(
    parseMacHost({
      metadata: { name: 'a' },
      spec: { source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'a' } }, budgets: { roll } },
      status: { configHash: 'old' },
    }),
    limits,
  );

describe('what a machine tells of the configuration of its Mac', () => {
  it('T-02 an attempt that failed is counted, and is no end', () => {
    const { phase, tartKubeletUpdateAttempts, failureReason, hostConfigHash } = statusWith({
      failures: 4,
      lastFailureAt: AT,
    });
    assert.deepEqual([phase, tartKubeletUpdateAttempts, failureReason, hostConfigHash], ['Ready', 4, undefined, 'old']);
  });

  it('T-03 T-07 I-14 the fifth is, and stays so in every later pass: reason, message and what failed', () => {
    const status = statusWith({ failures: 5, lastFailureAt: AT, failedHash: 'new' });
    assert.deepEqual(
      [status.phase, status.failureReason, status.failedHostConfigHash],
      ['Failed', 'TartKubeletUpdateExceededRetries', 'new'],
    );
    assert.match(status.failureMessage ?? '', /5 attempts/);
  });

  it('T-05 without a cap it never is', () => {
    assert.equal(statusWith({ failures: 100 }, { ...LIMITS, cap: 0 }).phase, 'Ready');
  });

  it('T-09 a success clears it all', () => {
    const { phase, failureReason, failedHostConfigHash, tartKubeletUpdateAttempts } = statusWith({ failures: 0 });
    assert.deepEqual(
      [phase, failureReason, failedHostConfigHash, tartKubeletUpdateAttempts],
      ['Ready', undefined, undefined, undefined],
    );
  });
});
