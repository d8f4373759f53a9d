/**
 * `npm run test:hosts`: the tests that need a real sshd and real shells. Without an sshd it says "not run" and exits with 69, so
 * that nobody takes silence for success; every other failure is a failure.
 */
import '../../bin/require-node.js';
import { join } from 'node:path';
import { FleetError } from '../../src/base/errors.ts';
import { reportFailure } from '../../src/cli/run-cli.ts';
import { parseTestArguments, renderRepeat } from '../test/arguments.ts';
import { runTestFiles, selectTestFiles } from '../test/run-files.ts';
import { findSshd } from './sshd.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TIER = { root: ROOT, globs: ['test/hosts/*.test.ts'] };
const COMMAND = 'npm run test:hosts';
const FILES_AT_ONCE = 2;
const TIMEOUT_MS = 120_000;
const STALL_MS = 240_000;
const NOT_RUN = 69;
const FAILED = 1;

const args = process.argv.slice(2);
const print = (text: string): void => void process.stdout.write(text);
const io = {
  stdout: print,
  stderr: (text: string) => process.stderr.write(text),
  env: process.env,
  signal: new AbortController().signal,
};

/** What keeps the tier from running at all, if anything does. */
const findObstacle = (): string | undefined => {
  try {
    findSshd(process.env);
    return undefined;
  } catch (error) {
    if (!(error instanceof FleetError) || error.kind !== 'unavailable') throw error;
    return `${error.message}. ${error.hint ?? ''}`.trim();
  }
};

const main = async (): Promise<number> => {
  const plan = parseTestArguments({ args, env: io.env, freshSeed: Math.floor(Math.random() * 2 ** 32) });
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    print(`not run: ${obstacle}\n`);
    return NOT_RUN;
  }
  const limits = { concurrency: FILES_AT_ONCE, timeoutMs: TIMEOUT_MS, stallMs: STALL_MS };
  const passed = await runTestFiles(selectTestFiles(plan, TIER), { plan, root: ROOT, print, ...limits });
  if (!passed) print(`to repeat: ${renderRepeat(plan, COMMAND)}\n`);
  return passed ? 0 : FAILED;
};

try {
  process.exitCode = await main();
} catch (error) {
  const code = reportFailure({ args, io }, error);
  process.exitCode = code === NOT_RUN ? FAILED : code;
}
