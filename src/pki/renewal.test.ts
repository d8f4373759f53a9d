import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isExpired, isNotYetValid, renewalTimeMs, renewalTimeOfNewMs } from './renewal.ts';

const hour = { notBeforeMs: 1_000_000, notAfterMs: 4_600_000 };
const times = Array.from({ length: 500 }, (_, at) => renewalTimeMs({ ...hour, serial: at.toString(16) }));

describe('renewalTimeMs', () => {
  test('lies between 70 % and 90 % of the life', () => {
    assert.ok(times.every((atMs) => atMs >= 1_000_000 + 2_520_000 && atMs < 1_000_000 + 3_240_000));
  });

  test('spreads certificates of one moment over that whole range', () => {
    assert.ok(Math.min(...times) < 1_000_000 + 2_540_000);
    assert.ok(Math.max(...times) > 1_000_000 + 3_220_000);
  });

  test('stays the same for the same certificate', () => {
    assert.equal(renewalTimeMs({ ...hour, serial: 'ab' }), renewalTimeMs({ ...hour, serial: 'ab' }));
  });
});

describe('renewalTimeOfNewMs', () => {
  const rows = [
    { story: 'one that has its life before it: as ever', nowMs: 1_000_500, earliestMs: 3_520_000, latestMs: 4_240_000 },
    {
      story: 'one that was dated back by most of it: in what is left',
      nowMs: 4_500_000,
      earliestMs: 4_570_000,
      latestMs: 4_590_000,
    },
    { story: 'one that is over by our clock: at once', nowMs: 9_000_000, earliestMs: 4_600_000, latestMs: 4_600_000 },
  ];
  for (const { story, nowMs, earliestMs, latestMs } of rows) {
    test(story, () => {
      for (const serial of ['0', '1', 'ab', 'fff']) {
        const atMs = renewalTimeOfNewMs({ ...hour, serial }, nowMs);
        assert.ok(atMs >= earliestMs && atMs <= latestMs, String(atMs));
      }
    });
  }
});

test('a certificate is valid at both of its ends and at no time outside', () => {
  assert.deepEqual(
    [999_999, 1_000_000].map((atMs) => isNotYetValid(hour, atMs)),
    [true, false],
  );
  assert.deepEqual(
    [4_600_000, 4_600_001].map((atMs) => isExpired(hour, atMs)),
    [false, true],
  );
});
