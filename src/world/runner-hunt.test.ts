import assert from 'node:assert/strict';
import { it } from 'node:test';
import { playRunnerDay } from './runner-hunt.ts';

it('a day in which mutants are found breaks nothing without one (N8, N14)', async () => {
  assert.deepEqual(await playRunnerDay(2), []);
});
