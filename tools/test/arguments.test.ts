/** What may stand after `npm test --`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTestArguments, renderRepeat } from './arguments.ts';

const parse = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  parseTestArguments({ args, env, freshSeed: 99 });

describe('the arguments of a test run', () => {
  const rows = [
    { story: 'none: all files, a fresh seed', args: [], env: {}, plan: { seed: 99, filters: [], name: undefined } },
    {
      story: 'parts of paths',
      args: ['base', 'kube/queue'],
      env: {},
      plan: { seed: 99, filters: ['base', 'kube/queue'], name: undefined },
    },
    {
      story: 'a seed and a name',
      args: ['--seed', '7', '--name', 'a b'],
      env: {},
      plan: { seed: 7, filters: [], name: 'a b' },
    },
    {
      story: 'a seed from the environment',
      args: [],
      env: { MACFLEET_TEST_SEED: '0' },
      plan: { seed: 0, filters: [], name: undefined },
    },
    {
      story: 'a seed that is stated over that of the environment',
      args: ['--seed=8'],
      env: { MACFLEET_TEST_SEED: '3' },
      plan: { seed: 8, filters: [], name: undefined },
    },
  ];
  for (const { story, args, env, plan } of rows) test(story, () => assert.deepEqual(parse(args, env), plan));

  for (const seed of ['x', '-1', '1.5', '', '4294967296', '1e3', '٣']) {
    test(`the seed "${seed}" is refused`, () =>
      assert.throws(() => parse([`--seed=${seed}`]), { kind: 'invalid', code: 'BadTestSeed' }));
  }

  test('an unknown option is refused with the right usage', () => {
    assert.throws(() => parse(['--bogus']), {
      kind: 'invalid',
      code: 'BadTestArguments',
      hint: /npm test -- \[--seed/,
    });
  });

  test('can be rendered as the command that repeats the run', () => {
    const args = ['--seed', '7', '--name', "it's $x", 'src/base', 'a b'];
    assert.equal(renderRepeat(parse(args)), `npm test -- --seed 7 --name 'it'\\''s $x' src/base 'a b'`);
  });
});
