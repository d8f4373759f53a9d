/** The repository itself keeps every house rule, and no rule goes without samples of its own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readTree } from './read-tree.ts';
import { RULES } from './rules.ts';

const tree = readTree(join(import.meta.dirname, '..', '..'));

describe('this repository', () => {
  for (const { name, check } of RULES) {
    test(`keeps the rule ${name}`, () => {
      const breaches = check(tree).map(({ path, line, message }) => `${path}:${line}: ${message}`);
      assert.equal(breaches.join('\n'), '');
    });
  }
});

describe('the list of rules', () => {
  const inFolder = tree.files.flatMap(({ path }) => /^tools\/tidy\/rules\/(.*)\.test\.ts$/.exec(path)?.[1] ?? []);

  test('holds each rule that has samples, and has samples for each rule', () => {
    assert.deepEqual(RULES.map(({ name }) => name).sort(), inFolder.sort());
  });
});
