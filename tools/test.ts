/**
 * `npm test`: every test that needs Node alone, in random order.
 *
 * Each file runs in a process of its own, as many at once as there are processors. Sharing one process would save a third
 * of the processor time, but the leak detector of src/sim/kernel watches all of a process, and sockets that another file
 * left closing fail simulated runs. A compile cache wins back most of what the processes cost.
 */
import '../bin/require-node.js';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { reportFailure } from '../src/cli/report-failure.ts';
import { parseTestArguments, renderRepeat, type TestPlan } from './test/arguments.ts';
import { runTestFiles, selectTestFiles } from './test/run-files.ts';
import { TIERS } from './test/tiers.ts';

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_MS = 120_000;
/** A test process that does not end although its tests have would otherwise hold up the run for ever. */
const STALL_MS = 240_000;

const args = process.argv.slice(2);
const io = {
  stdout: (text: string) => process.stdout.write(text),
  stderr: (text: string) => process.stderr.write(text),
  env: process.env,
  signal: new AbortController().signal,
};

/** Runs the plan and prints as it goes. True when at least one test ran and none failed. */
const runTests = (plan: TestPlan): Promise<boolean> =>
  runTestFiles(selectTestFiles(plan, { root: ROOT, globs: TIERS['npm test'] }), {
    plan,
    root: ROOT,
    concurrency: availableParallelism(),
    timeoutMs: TIMEOUT_MS,
    stallMs: STALL_MS,
    print: io.stdout,
  });

try {
  const plan = parseTestArguments({ args, env: io.env, freshSeed: Math.floor(Math.random() * 2 ** 32) });
  const passed = await runTests(plan);
  if (!passed) io.stdout(`to repeat: ${renderRepeat(plan)}\n`);
  process.exitCode = passed ? 0 : 1;
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
