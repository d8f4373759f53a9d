/** Durations as people write them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseDuration, renderDuration } from './duration.ts';

describe('a duration is read', () => {
  const rows: readonly (readonly [text: string, ms: number])[] = [
    ['0', 0],
    ['0s', 0],
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1d', 86_400_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1.5h', 5_400_000],
    ['0.25s', 250],
    ['90m', 5_400_000],
    ['1h0m', 3_600_000],
    ['  2m ', 120_000],
    ['007s', 7_000],
  ];
  for (const [text, ms] of rows) test(`"${text}" is ${ms} ms`, () => assert.equal(parseDuration(text), ms));
});

describe('no duration, and the error says what one looks like:', () => {
  const rows = [
    ['', 'nothing'],
    ['   ', 'blanks'],
    ['5', 'no unit'],
    ['00', 'zero twice'],
    ['s', 'no number'],
    ['-5s', 'negative'],
    ['+5s', 'a sign'],
    ['5 s', 'a blank before the unit'],
    ['1h 30m', 'a blank between parts'],
    ['30m1h', 'the smaller unit first'],
    ['1h1h', 'a unit twice'],
    ['5min', 'a longer unit'],
    ['5S', 'a unit in capitals'],
    ['5us', 'a unit we do not know'],
    ['.5s', 'no digit before the point'],
    ['5.s', 'no digit after the point'],
    ['1,5s', 'a comma'],
    ['1e3s', 'an exponent'],
    ['0x10s', 'hexadecimal'],
    ['5s,', 'something after it'],
    ['٥s', 'other digits'],
    ['9007199254740993ms', 'more than a number holds'],
    ['999999999999999999d', 'far more than a number holds'],
    ['Infinitys', 'for ever'],
    ['forever', 'words'],
  ] as const;
  for (const [text, story] of rows) {
    test(`${story} ("${text}")`, () => {
      assert.throws(
        () => parseDuration(text),
        (error: unknown) => {
          assert.ok(error instanceof Error && 'hint' in error);
          assert.match(error.message, /is not a duration$/);
          assert.match(String(error.hint), /30s, 5m, 1h30m/);
          return true;
        },
      );
    });
  }
});

describe('a duration is written', () => {
  const rows: readonly (readonly [ms: number, text: string])[] = [
    [0, '0s'],
    [1, '1ms'],
    [1_000, '1s'],
    [90_000, '1m30s'],
    [5_400_000, '1h30m'],
    [86_400_000, '1d'],
    [93_784_005, '1d2h3m4s5ms'],
    [1.4, '1ms'],
  ];
  for (const [ms, text] of rows) test(`${ms} ms is "${text}"`, () => assert.equal(renderDuration(ms), text));

  test('so that it reads back as the same number', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (ms) => assert.equal(parseDuration(renderDuration(ms)), ms)));
  });

  test('refuses to render a negative duration', () => {
    assert.throws(() => renderDuration(-1), { code: 'AssertionFailed' });
  });
});
