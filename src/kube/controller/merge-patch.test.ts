import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isEqualJson, isRecord } from '../../base/json.ts';
import { diffMerge } from './merge-patch.ts';

/** RFC 7386, section 2, written independently of the code under test. */
const applyMerge = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = applyMerge(result[key], value);
  }
  return result;
};

describe('diffMerge', () => {
  const rows = [
    { story: 'equal values need nothing', before: { a: { b: [1] } }, after: { a: { b: [1] } }, patch: undefined },
    { story: 'a changed leaf is sent alone', before: { a: 1, b: 2 }, after: { a: 1, b: 3 }, patch: { b: 3 } },
    { story: 'a removed key becomes null', before: { a: 1, b: 2 }, after: { a: 1 }, patch: { b: null } },
    { story: 'an undefined key counts as removed', before: { a: 1 }, after: { a: undefined }, patch: { a: null } },
    { story: 'lists are replaced whole', before: { a: [1, 2] }, after: { a: [2] }, patch: { a: [2] } },
    { story: 'a first value is sent whole', before: undefined, after: { a: 1 }, patch: { a: 1 } },
  ];
  for (const { story, before, after, patch } of rows) {
    it(story, () => assert.deepEqual(diffMerge(before, after), patch));
  }

  it('turns any object into any other one that holds no null', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof({ depthSize: 'small' }, tie('leaf'), fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'))),
      leaf: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer())),
    })).node;
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = diffMerge(before, after);
        assert.ok(isEqualJson(patch === undefined ? before : applyMerge(before, patch), after));
      }),
    );
  });
});
