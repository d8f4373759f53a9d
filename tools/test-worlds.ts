/** `npm run test:worlds`: whole fleets on the virtual clock, killed, disturbed and replayed. Needs Node alone, and minutes. */
import '../bin/require-node.js';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runTier } from './test/run-tier.ts';

await runTier({
  command: 'npm run test:worlds',
  root: join(import.meta.dirname, '..'),
  limits: { concurrency: availableParallelism(), timeoutMs: 120_000, stallMs: 240_000 },
});
