/**
 * `npm test`: the tests that need Node alone, in random order, but for the long ones (`npm run test:worlds`).
 *
 * Each file runs in a process of its own, as many at once as there are processors. Sharing one process would save a third
 * of the processor time, but the leak detector of src/sim/kernel watches all of a process, and sockets that another file
 * left closing fail simulated runs. A compile cache wins back most of what the processes cost.
 */
import '../bin/require-node.js';
import { join } from 'node:path';
import { limitsOn } from './test/limits.ts';
import { runTier } from './test/run-tier.ts';

await runTier({
  command: 'npm test',
  alsoFinds: ['npm run test:worlds'],
  root: join(import.meta.dirname, '..'),
  limits: limitsOn(process.env),
});
