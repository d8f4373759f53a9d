import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideOutcome, type Evidence, parseGuestCode, shouldRestart } from './decide-outcome.ts';
import type { Outcome } from './journal-entry.ts';

const AT = 10_000;
const decide = (evidence: Partial<Evidence>): Outcome =>
  decideOutcome({ exit: { code: 0, atMs: AT }, startedMs: 1_000, logPath: '/log', ...evidence });

describe('the outcome of a run', () => {
  const rows: readonly {
    story: string;
    evidence: Partial<Evidence>;
    code: number;
    reason: string;
    finished?: number;
    says?: RegExp;
  }[] = [
    {
      story: '§9.4-5 a guest that reports 0 has completed',
      evidence: { report: { code: 0, atMs: 9 } },
      code: 0,
      reason: 'Completed',
    },
    {
      story: '§9.4-5 a guest’s 2 is an error, although tart ended well',
      evidence: { report: { code: 2, atMs: 9 } },
      code: 2,
      reason: 'Error',
    },
    {
      story: '§9.4-5 a guest’s 143 is an error',
      evidence: { report: { code: 143, atMs: 9 } },
      code: 143,
      reason: 'Error',
    },
    {
      story: '§9.4-5 a guest’s report wins over tart’s own failure',
      evidence: { exit: { code: 3, atMs: AT }, report: { code: 0, atMs: 9 } },
      code: 0,
      reason: 'Completed',
    },
    { story: '§9.4-5 without a report a clean end is told as such', evidence: {}, code: 0, reason: 'TartRunExited' },
    {
      story: '§9.4-5 without a report tart’s 3 counts',
      evidence: { exit: { code: 3, atMs: AT } },
      code: 3,
      reason: 'TartRunFailed',
    },
    {
      story: 'F95: a guest that broke down has failed, although tart ended well',
      evidence: { guestError: 'panic' },
      code: 1,
      reason: 'TartRunFailed',
      says: /broke down: panic/,
    },
    {
      story: 'K26: a signal is a failure, not an end',
      evidence: { exit: { signal: 'SIGKILL', atMs: AT } },
      code: 1,
      reason: 'TartRunFailed',
      says: /SIGKILL/,
    },
    {
      story: 'S26: an end that nobody saw is no success',
      evidence: { exit: { atMs: AT } },
      code: 137,
      reason: 'ContainerStatusUnknown',
      says: /restarted or lost power/,
    },
    {
      story: '§9.4-6 an end that nobody saw counts from the guest’s report',
      evidence: { exit: { atMs: AT }, report: { code: 4, atMs: 7_000 } },
      code: 4,
      reason: 'Error',
      finished: 7_000,
    },
    {
      story: 'a VM that we stopped was killed, and says why',
      evidence: { stopped: { message: 'deleted' } },
      code: 137,
      reason: 'Error',
      says: /deleted/,
    },
    {
      story: 'a guest that still reported before we stopped it is believed, time and all',
      evidence: { stopped: { message: 'deleted' }, report: { code: 0, atMs: 8_000 } },
      code: 0,
      reason: 'Completed',
      finished: 8_000,
    },
  ];
  for (const { story, evidence, code, reason, finished = AT, says } of rows) {
    it(story, () => {
      const outcome = decide(evidence);
      assert.deepEqual([outcome.exitCode, outcome.reason, outcome.finishedMs], [code, reason, finished]);
      if (says !== undefined) assert.match(outcome.message ?? '', says);
    });
  }

  it('never ends before it began', () => assert.equal(decide({ startedMs: 99_999 }).startedMs, AT));
});

describe('a guest’s report', () => {
  const codes = { '0': 0, '2\n': 2, ' 255 ': 255 };
  for (const [text, code] of Object.entries(codes))
    it(`§9.4-5 ${JSON.stringify(text)} is ${code}`, () => assert.equal(parseGuestCode(text), code));
  for (const text of ['', 'garbage', '256', '-1', '2147483648', '4294967296', '1.5', '0x1'])
    it(`§9.4-5 ${JSON.stringify(text)} is none`, () => assert.equal(parseGuestCode(text), undefined));
});

describe('whether a run is followed by another', () => {
  const rows: readonly [policy: string | undefined, exitCode: number, restarts: boolean][] = [
    ['Never', 1, false],
    ['OnFailure', 0, false],
    ['OnFailure', 1, true],
    ['Always', 0, true],
    [undefined, 0, true],
  ];
  for (const [policy, exitCode, restarts] of rows) {
    it(`${policy} after ${exitCode}: ${restarts}`, () => {
      const outcome = { exitCode, reason: 'x', startedMs: 0, finishedMs: 1 };
      assert.equal(shouldRestart(policy, outcome), restarts);
      assert.equal(shouldRestart(policy, { ...outcome, podReason: 'DeadlineExceeded' }), false, 'the Pod is over');
    });
  }
});
