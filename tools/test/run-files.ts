/** Test files through node:test, each in a process of its own, in random order, with our report and a watchdog. */
import { join } from 'node:path';
import { run } from 'node:test';
import { FleetError } from '../../src/base/errors.ts';
import type { TestPlan } from './arguments.ts';
import { createTestReport } from './report.ts';

/** Those of the files that the plan asks for; none is an error. */
export const selectTestFiles = ({ filters }: TestPlan, files: readonly string[]): readonly string[] => {
  const chosen = files.filter((path) => filters.length === 0 || filters.some((part) => path.includes(part)));
  if (chosen.length > 0) return chosen;
  throw new FleetError('invalid', {
    code: 'NoTestFile',
    message: `no test file holds ${filters.map((part) => `"${part}"`).join(' or ')} in its path`,
    hint: `Give a part of a path; the tier has ${files.length} files, such as ${files[0] ?? 'none'}.`,
  });
};

export interface TestRun {
  readonly plan: TestPlan;
  readonly root: string;
  readonly concurrency: number;
  /** Of one test. */
  readonly timeoutMs: number;
  /** A test process that does not end although its tests have would otherwise hold up the run for ever. */
  readonly stallMs: number;
  readonly print: (text: string) => void;
}

/** Prints as it goes. True when at least one test ran and none failed. Ends the process when nothing happens any more. */
export const runTestFiles = async (files: readonly string[], options: TestRun): Promise<boolean> => {
  const { plan, root, print } = options;
  print(`${files.length} test files in random order, seed ${plan.seed}\n`);
  process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'macfleet-compile');
  const report = createTestReport(root);
  const stream = run({
    files: files.map((path) => join(root, path)),
    isolation: 'process',
    concurrency: options.concurrency,
    timeout: options.timeoutMs,
    randomize: true,
    randomSeed: plan.seed,
    ...(plan.name === undefined ? {} : { testNamePatterns: [new RegExp(plan.name)] }),
  });
  let hasFailed = false;
  const watchdog = setTimeout(() => {
    const left = files.filter((path) => !report.filesHeard.has(path));
    print(
      `✖ nothing happened for ${options.stallMs / 1_000} s; not finished: ${left.join(', ') || 'a process that does not end'}\n`,
    );
    process.exit(1);
  }, options.stallMs);
  for await (const event of stream) {
    watchdog.refresh();
    print(report.onEvent(event));
    if (event.type === 'test:fail') hasFailed = true;
  }
  clearTimeout(watchdog);
  const emptyFiles = plan.name === undefined ? files.filter((path) => !report.filesHeard.has(path)) : [];
  for (const path of emptyFiles) print(`✖ ${path} has no test in it\n`);
  if (report.testsRun === 0) print('✖ no test ran\n');
  return !hasFailed && emptyFiles.length === 0 && report.testsRun > 0;
};
