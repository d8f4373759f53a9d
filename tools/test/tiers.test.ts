import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TIERS } from './tiers.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const find = (globs: readonly string[]): readonly string[] => globSync([...globs], { cwd: ROOT });

test('every test file belongs to one tier, and to one only', () => {
  const all = find(['{bench,bin,charts,src,test,tools}/**/*.test.ts']);
  const inTiers = Object.values(TIERS).flatMap(find);
  assert.deepEqual(inTiers.toSorted(), all.toSorted());
});
