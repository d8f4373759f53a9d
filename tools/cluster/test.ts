/**
 * `npm run test:cluster`: the tests that need a real Kubernetes, on one cluster that they share. Without the programs it says
 * "not run" and exits with 69, so that nobody takes silence for success; every other failure is a failure.
 */
import '../../bin/require-node.js';
import { join } from 'node:path';
import { FleetError } from '../../src/base/errors.ts';
import { reportFailure } from '../../src/cli/run-cli.ts';
import { installKinds, SHARED_VARIABLE, startCluster } from '../../test/cluster/bench.ts';
import { parseTestArguments, renderRepeat, type TestPlan } from '../test/arguments.ts';
import { runTestFiles, selectTestFiles } from '../test/run-files.ts';
import { findBinaries } from './binaries.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TIER = { root: ROOT, globs: ['test/cluster/*.test.ts'] };
const COMMAND = 'npm run test:cluster';
/** The files share one cluster, and each waits for it most of the time. */
const FILES_AT_ONCE = 2;
const TIMEOUT_MS = 240_000;
const STALL_MS = 300_000;
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
const findObstacle = async (): Promise<string | undefined> => {
  try {
    await findBinaries(process.env);
    return undefined;
  } catch (error) {
    if (!(error instanceof FleetError) || error.kind !== 'unavailable') throw error;
    return `${error.message}. ${error.hint ?? ''}`.trim();
  }
};

const runShared = async (plan: TestPlan): Promise<boolean> => {
  const files = selectTestFiles(plan, TIER);
  const cluster = await startCluster({ parts: 'cluster-api' });
  try {
    await installKinds(cluster);
    process.env[SHARED_VARIABLE] = cluster.dir;
    const limits = { concurrency: FILES_AT_ONCE, timeoutMs: TIMEOUT_MS, stallMs: STALL_MS };
    return await runTestFiles(files, { plan, root: ROOT, print, ...limits });
  } finally {
    await cluster.stop();
  }
};

const main = async (): Promise<number> => {
  const plan = parseTestArguments({ args, env: io.env, freshSeed: Math.floor(Math.random() * 2 ** 32) });
  const obstacle = await findObstacle();
  if (obstacle !== undefined) {
    print(`not run: ${obstacle}\n`);
    return NOT_RUN;
  }
  const passed = await runShared(plan);
  if (!passed) print(`to repeat: ${renderRepeat(plan, COMMAND)}\n`);
  return passed ? 0 : FAILED;
};

try {
  process.exitCode = await main();
} catch (error) {
  const code = reportFailure({ args, io }, error);
  // The code for "not run" is not for a cluster that breaks.
  process.exitCode = code === NOT_RUN ? FAILED : code;
}
