/** When two JSON values are the same. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isEqualJson, isRecord } from './json.ts';

describe('equality of JSON values', () => {
  const rows: readonly {
    readonly story: string;
    readonly left: unknown;
    readonly right: unknown;
    readonly equal: boolean;
  }[] = [
    { story: 'equal scalars', left: 'a', right: 'a', equal: true },
    { story: 'null and null', left: null, right: null, equal: true },
    { story: 'objects with their keys in another order', left: { a: 1, b: [2] }, right: { b: [2], a: 1 }, equal: true },
    { story: 'an absent key and an undefined one', left: { a: 1, b: undefined }, right: { a: 1 }, equal: true },
    { story: 'deep equals', left: { a: [{ b: { c: [1] } }] }, right: { a: [{ b: { c: [1] } }] }, equal: true },
    { story: 'an absent key and null', left: {}, right: { a: null }, equal: false },
    { story: 'a number and its text', left: 1, right: '1', equal: false },
    { story: 'zero and false', left: 0, right: false, equal: false },
    { story: 'null and an empty object', left: null, right: {}, equal: false },
    { story: 'an empty list and an empty object', left: [], right: {}, equal: false },
    { story: 'lists in another order', left: [1, 2], right: [2, 1], equal: false },
    { story: 'a list and a longer one', left: [1], right: [1, undefined], equal: false },
    { story: 'a key more on either side', left: { a: 1 }, right: { a: 1, b: 2 }, equal: false },
    { story: 'a deep difference', left: { a: [{ b: 1 }] }, right: { a: [{ b: 2 }] }, equal: false },
    { story: 'a key that every object inherits', left: {}, right: { constructor: 'x' }, equal: false },
    { story: 'a key called like the prototype', left: {}, right: JSON.parse('{"__proto__":{}}'), equal: false },
  ];
  for (const { story, left, right, equal } of rows) {
    test(`${story}: ${equal ? 'the same' : 'different'}, both ways round`, () => {
      assert.equal(isEqualJson(left, right), equal);
      assert.equal(isEqualJson(right, left), equal);
    });
  }

  test('holds for any value and its copy', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isEqualJson(value, structuredClone(value))));
  });

  test('tells any two values apart that are written differently', () => {
    const sorted = (value: unknown): string =>
      JSON.stringify(value, (_, part) => (isRecord(part) ? sortKeys(part) : part));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        assert.equal(isEqualJson(left, right), sorted(left) === sorted(right));
      }),
    );
  });
});

const sortKeys = (record: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));

describe('a record', () => {
  const rows: readonly (readonly [value: unknown, is: boolean])[] = [
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    [undefined, false],
    ['text', false],
    [1, false],
  ];
  for (const [value, is] of rows)
    test(`${JSON.stringify(value)} is ${is ? 'one' : 'none'}`, () => assert.equal(isRecord(value), is));
});
