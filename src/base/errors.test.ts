/** The closed set of error kinds and what each means: the promises that queue, conditions, logs and shells build on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assert as assertOurs,
  cancelled,
  ERROR_BEHAVIOUR,
  ERROR_KINDS,
  type ErrorKind,
  FleetError,
  isKind,
  messageOf,
  toFleetError,
  unreachable,
} from './errors.ts';

/** One row per kind; a kind without a row does not compile. */
const ROWS: Readonly<Record<ErrorKind, readonly [queue: string, condition: string, exitCode: number]>> = {
  invalid: ['wait-for-change', 'false', 2],
  'not-found': ['back-off', 'unchanged', 4],
  exists: ['back-off', 'unchanged', 4],
  conflict: ['at-once', 'unchanged', 5],
  unavailable: ['back-off', 'unknown', 69],
  throttled: ['after-stated-delay', 'unknown', 69],
  'no-capacity': ['steady', 'false', 75],
  denied: ['steady', 'false', 77],
  contract: ['back-off', 'unknown', 76],
  cancelled: ['back-off', 'unchanged', 130],
  bug: ['back-off', 'unknown', 70],
};

describe('the table of error kinds', () => {
  for (const kind of ERROR_KINDS) {
    test(`gives ${kind} one meaning for queue, condition and shell`, () => {
      const { queue, condition, exitCode } = ERROR_BEHAVIOUR[kind];
      assert.deepEqual([queue.do, condition, exitCode], ROWS[kind]);
    });
  }

  test('has a row for each kind and no other', () => {
    assert.deepEqual(Object.keys(ERROR_BEHAVIOUR).sort(), [...ERROR_KINDS].sort());
    assert.deepEqual(Object.keys(ROWS).sort(), [...ERROR_KINDS].sort());
  });

  test('never ends a failed command with success', () => {
    for (const kind of ERROR_KINDS) assert.notEqual(ERROR_BEHAVIOUR[kind].exitCode, 0, kind);
  });

  test('warns about nothing that is only a fact or somebody else writing first', () => {
    for (const kind of ['not-found', 'exists', 'conflict', 'cancelled'] as const) {
      assert.equal(ERROR_BEHAVIOUR[kind].event, 'none', kind);
      assert.equal(ERROR_BEHAVIOUR[kind].logLevel, 'debug', kind);
    }
  });
});

describe('a FleetError', () => {
  test('carries everything it was made of', () => {
    const cause = new Error('socket closed');
    const error = new FleetError('throttled', {
      ...{ code: 'SlowDown', message: 'too many', hint: 'Wait.', details: { seen: 3 }, cause, retryAfterMs: 500 },
    });
    assert.ok(error instanceof Error);
    const { name, kind, code, message, hint, details, retryAfterMs } = error;
    assert.deepEqual(
      { name, kind, code, message, hint, details, retryAfterMs, cause: error.cause },
      {
        name: 'FleetError',
        kind: 'throttled',
        code: 'SlowDown',
        message: 'too many',
        hint: 'Wait.',
        details: { seen: 3 },
        retryAfterMs: 500,
        cause,
      },
    );
  });

  test('has no cause, hint or delay that nobody gave it', () => {
    const error = new FleetError('bug', { code: 'X', message: 'x' });
    assert.equal('cause' in error, false);
    assert.deepEqual([error.hint, error.retryAfterMs, error.details], [undefined, undefined, {}]);
  });
});

describe('anything thrown becomes a FleetError:', () => {
  const original = new FleetError('denied', { code: 'NoKey', message: 'no key' });
  const aborted = new DOMException('This operation was aborted', 'AbortError');
  const rows = [
    { story: 'one of ours stays itself', thrown: original, kind: 'denied', code: 'NoKey', message: 'no key' },
    {
      story: "the platform's abort is a cancellation",
      thrown: aborted,
      kind: 'cancelled',
      code: 'Cancelled',
      message: 'the work was cancelled',
    },
    {
      story: 'any other error is our bug',
      thrown: new RangeError('off by one'),
      kind: 'bug',
      code: 'InternalError',
      message: 'off by one',
    },
    { story: 'a thrown string is our bug', thrown: 'oops', kind: 'bug', code: 'InternalError', message: 'oops' },
    {
      story: 'a thrown nothing is our bug',
      thrown: undefined,
      kind: 'bug',
      code: 'InternalError',
      message: 'undefined',
    },
  ];
  for (const { story, thrown, kind, code, message } of rows) {
    test(story, () => {
      const error = toFleetError(thrown);
      assert.deepEqual([error.kind, error.code, error.message], [kind, code, message]);
      assert.ok(error === thrown || error.cause === thrown);
    });
  }
});

describe('small tools around errors', () => {
  test('isKind knows kinds, and that other errors have none', () => {
    assert.equal(isKind(cancelled(), 'bug', 'cancelled'), true);
    assert.equal(isKind(cancelled(), 'bug'), false);
    assert.equal(isKind(new Error('x'), 'bug'), false);
    assert.equal(isKind(undefined, 'bug'), false);
  });

  test('messageOf reads errors and prints the rest', () => {
    assert.equal(messageOf(new Error('x')), 'x');
    assert.equal(messageOf(404), '404');
    assert.equal(messageOf(null), 'null');
  });

  test('a failed assertion is a bug of ours and says which', () => {
    assert.doesNotThrow(() => assertOurs(true, 'fine'));
    assert.throws(() => assertOurs(false, 'count is negative'), {
      kind: 'bug',
      code: 'AssertionFailed',
      message: 'count is negative',
    });
  });

  test('an unreachable case names the value that reached it', () => {
    const state: string = 'melted';
    assert.throws(() => unreachable(state as never), {
      kind: 'bug',
      code: 'Unreachable',
      message: 'unexpected value "melted"',
    });
  });
});
