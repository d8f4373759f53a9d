/** `npm run test:worlds`: whole fleets on the virtual clock, killed, disturbed and replayed. Needs Node alone, and minutes. */
import '../bin/require-node.js';
import { join } from 'node:path';
import { limitsOn } from './test/limits.ts';
import { runTier } from './test/run-tier.ts';

await runTier({
  command: 'npm run test:worlds',
  root: join(import.meta.dirname, '..'),
  limits: limitsOn(process.env),
});
