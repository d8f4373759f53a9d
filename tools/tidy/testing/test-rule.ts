/** Tries a rule on small made-up repositories: what it must find, and what it must leave alone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTree, type Rule } from '../tree.ts';

export interface Sample {
  readonly story: string;
  /** Path and text. */
  readonly files: Readonly<Record<string, string>>;
  /** Every breach as `path:line`, in any order; none when the sample is fine. */
  readonly finds: readonly string[];
}

export const testRule = (rule: Rule, samples: readonly Sample[]): void => {
  describe(`tidy rule ${rule.name}`, () => {
    for (const { story, files, finds } of samples) {
      test(`${finds.length === 0 ? 'accepts' : 'refuses'} ${story}`, () => {
        const found = rule.check(createTree(Object.entries(files).map(([path, text]) => ({ path, text }))));
        const places = found.map(({ path, line }) => `${path}:${line}`);
        assert.deepEqual(places.sort(), [...finds].sort(), found.map(({ message }) => message).join('\n'));
        for (const { message } of found) assert.match(message, /\S; \S/, 'says what, and what to do');
      });
    }

    test('has a sample that it refuses and one that it accepts', () => {
      assert.ok(samples.some(({ finds }) => finds.length > 0));
      assert.ok(samples.some(({ finds }) => finds.length === 0));
    });
  });
};
