/** Waits between tries: never shorter than the floor, never longer than the ceiling, and stored as a time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { afterFailure, type BackoffPolicy, backoffDelayMs, DEFAULT_BACKOFF } from './backoff.ts';
import { createSeededRandom, type Random } from './random.ts';

const drawing = (value: number): Random => ({ ...createSeededRandom(0), next: () => value });
const ALMOST_ONE = 1 - 2 ** -32;

const POLICY: BackoffPolicy = { initialMs: 100, factor: 2, maxMs: 1_000, minMs: 10 };

const policies = fc
  .record({
    minMs: fc.integer({ min: 0, max: 5_000 }),
    initialMs: fc.integer({ min: 1, max: 60_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
    maxMs: fc.integer({ min: 1, max: 3_600_000 }),
  })
  .map((policy): BackoffPolicy => policy);

describe('the wait after a failure', () => {
  const rows = [
    { attempt: 1, draw: ALMOST_ONE, waitMs: 100 },
    { attempt: 2, draw: ALMOST_ONE, waitMs: 200 },
    { attempt: 4, draw: ALMOST_ONE, waitMs: 800 },
    { attempt: 5, draw: ALMOST_ONE, waitMs: 1_000 },
    { attempt: 10_000, draw: ALMOST_ONE, waitMs: 1_000 },
    { attempt: 4, draw: 0.5, waitMs: 400 },
    { attempt: 4, draw: 0, waitMs: 10 },
  ];
  for (const { attempt, draw, waitMs } of rows) {
    test(`number ${attempt} is ${waitMs} ms for the draw ${draw.toFixed(2)}`, () => {
      assert.equal(backoffDelayMs(POLICY, attempt, drawing(draw)), waitMs);
    });
  }

  test('lies between floor and ceiling for any policy, attempt and seed', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 1_000_000 }), fc.string(), (policy, attempt, seed) => {
        const waitMs = backoffDelayMs(policy, attempt, createSeededRandom(seed));
        assert.ok(Number.isSafeInteger(waitMs));
        assert.ok(waitMs >= policy.minMs);
        assert.ok(waitMs <= Math.max(policy.minMs, policy.maxMs));
      }),
    );
  });

  test('spreads: two hundred clients that fail together do not come back together', () => {
    const random = createSeededRandom('spread');
    const waits = new Set(Array.from({ length: 200 }, () => backoffDelayMs(DEFAULT_BACKOFF, 8, random)));
    assert.ok(waits.size > 190, `${waits.size} different waits`);
  });

  test('counts failures from one', () => {
    assert.throws(() => backoffDelayMs(POLICY, 0, drawing(0)), { code: 'AssertionFailed' });
  });
});

describe('what is remembered of failures', () => {
  const deps = { policy: POLICY, random: drawing(ALMOST_ONE) };

  test('starts with the first and is a time, not a delay', () => {
    assert.deepEqual(afterFailure(undefined, 5_000, deps), { attempts: 1, notBeforeMs: 5_100 });
  });

  test('grows with each failure', () => {
    assert.deepEqual(afterFailure({ attempts: 2, notBeforeMs: 5_200 }, 6_000, deps), {
      attempts: 3,
      notBeforeMs: 6_400,
    });
  });
});
