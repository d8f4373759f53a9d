/**
 * `npm test`: every test that needs Node alone, in random order.
 *
 * Each file runs in a process of its own, as many at once as there are processors. Sharing one process would save a third
 * of the processor time, but the leak detector of src/sim/kernel watches all of a process, and sockets that another file
 * left closing fail simulated runs. A compile cache wins back most of what the processes cost.
 */
import '../bin/require-node.js';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { FleetError } from '../src/base/errors.ts';
import { reportFailure } from '../src/cli/run-cli.ts';
import { parseTestArguments, renderRepeat, type TestPlan } from './test/arguments.ts';
import { createTestReport } from './test/report.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = ['src/**/*.test.ts', 'tools/**/*.test.ts', 'test/*.test.ts'];
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

const selectFiles = ({ filters }: TestPlan): readonly string[] => {
  const all = globSync(FILES, { cwd: ROOT }).sort();
  const chosen = all.filter((path) => filters.length === 0 || filters.some((part) => path.includes(part)));
  if (chosen.length > 0) return chosen;
  throw new FleetError('invalid', {
    code: 'NoTestFile',
    message: `no test file holds ${filters.map((part) => `"${part}"`).join(' or ')} in its path`,
    hint: `Give a part of a path; files are searched in ${FILES.join(', ')}.`,
  });
};

/** Runs the plan and prints as it goes. True when at least one test ran and none failed. */
const runTests = async (plan: TestPlan): Promise<boolean> => {
  const files = selectFiles(plan);
  io.stdout(`${files.length} test files in random order, seed ${plan.seed}\n`);
  process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules', '.cache', 'macfleet-compile');
  const report = createTestReport(ROOT);
  const stream = run({
    files: files.map((path) => join(ROOT, path)),
    isolation: 'process',
    concurrency: availableParallelism(),
    timeout: TIMEOUT_MS,
    randomize: true,
    randomSeed: plan.seed,
    ...(plan.name === undefined ? {} : { testNamePatterns: [new RegExp(plan.name)] }),
  });
  let hasFailed = false;
  const watchdog = setTimeout(() => {
    const left = files.filter((path) => !report.filesHeard.has(path));
    io.stdout(
      `✖ nothing happened for ${STALL_MS / 1_000} s; not finished: ${left.join(', ') || 'a process that does not end'}\n`,
    );
    process.exit(1);
  }, STALL_MS);
  for await (const event of stream) {
    watchdog.refresh();
    io.stdout(report.onEvent(event));
    if (event.type === 'test:fail') hasFailed = true;
  }
  clearTimeout(watchdog);
  const emptyFiles = plan.name === undefined ? files.filter((path) => !report.filesHeard.has(path)) : [];
  for (const path of emptyFiles) io.stdout(`✖ ${path} has no test in it\n`);
  if (report.testsRun === 0) io.stdout('✖ no test ran\n');
  return !hasFailed && emptyFiles.length === 0 && report.testsRun > 0;
};

try {
  const plan = parseTestArguments({ args, env: io.env, freshSeed: Math.floor(Math.random() * 2 ** 32) });
  const passed = await runTests(plan);
  if (!passed) io.stdout(`to repeat: ${renderRepeat(plan)}\n`);
  process.exitCode = passed ? 0 : 1;
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
