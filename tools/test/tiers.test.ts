import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findTierFiles, TIERS } from './tiers.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('every test file belongs to one tier, and to one only', () => {
  const all = globSync('{bench,bin,charts,src,test,tools}/**/*.test.ts', { cwd: ROOT });
  const tiers = Object.keys(TIERS) as (keyof typeof TIERS)[];
  assert.deepEqual(tiers.flatMap((tier) => findTierFiles(tier, ROOT)).toSorted(), all.toSorted());
});
