/** `npm run test:hosts`: the tests that need a real sshd and real shells. */
import '../../bin/require-node.js';
import { join } from 'node:path';
import { runTier } from '../test/run-tier.ts';
import { findSshd } from './sshd.ts';

await runTier({
  command: 'npm run test:hosts',
  root: join(import.meta.dirname, '..', '..'),
  globs: ['test/hosts/*.test.ts'],
  limits: { concurrency: 2, timeoutMs: 120_000, stallMs: 240_000 },
  require: () => findSshd(process.env),
});
