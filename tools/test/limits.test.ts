import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsOn } from './limits.ts';

test('a test may take two minutes, and half an hour where every crash point was asked for', () => {
  const minutes = (env: NodeJS.ProcessEnv): number => limitsOn(env).timeoutMs / 60_000;
  assert.deepEqual([minutes({}), minutes({ MACFLEET_CRASH_POINTS: 'all' })], [2, 30]);
});
