/** How long tests that need Node alone may take. Every crash point of a scenario (MACFLEET_CRASH_POINTS=all, by hand) takes far longer than a sample. */
import { availableParallelism } from 'node:os';
import type { TestRun } from './run-files.ts';

export const limitsOn = (env: NodeJS.ProcessEnv): Pick<TestRun, 'concurrency' | 'timeoutMs' | 'stallMs'> => {
  const times = env['MACFLEET_CRASH_POINTS'] === 'all' ? 15 : 1;
  return { concurrency: availableParallelism(), timeoutMs: 120_000 * times, stallMs: 240_000 * times };
};
