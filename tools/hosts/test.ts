/** `npm run test:hosts`: the tests that need a real sshd, real shells, and a sandbox for the scripts that run on Macs. */
import '../../bin/require-node.js';
import { join } from 'node:path';
import { assertSandboxPossible } from '../../src/sim/mac/bash/sandbox.ts';
import { runTier } from '../test/run-tier.ts';
import { findSshd } from './sshd.ts';

await runTier({
  command: 'npm run test:hosts',
  root: join(import.meta.dirname, '..', '..'),
  limits: { concurrency: 2, timeoutMs: 120_000, stallMs: 240_000 },
  require: () => {
    findSshd(process.env);
    assertSandboxPossible();
  },
});
