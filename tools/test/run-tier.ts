/**
 * A tier of tests. Where it needs something that this machine lacks it says "not run" and exits with 69, so that nobody takes
 * silence for success; every other failure is a failure.
 */
import { FleetError } from '../../src/base/errors.ts';
import { reportFailure } from '../../src/cli/report-failure.ts';
import { AGENT_VARIABLE, shareBundle } from '../build-kubelet/shared-bundle.ts';
import { parseTestArguments, renderRepeat, TEST_USAGE, type TestPlan } from './arguments.ts';
import { runTestFiles, selectTestFiles, type TestRun } from './run-files.ts';
import { findTierFiles, type TIERS } from './tiers.ts';

type TierName = keyof typeof TIERS;

export interface Tier {
  /** What a person types. */
  readonly command: TierName;
  /** Tiers whose files are found too by whoever names files. */
  readonly alsoFinds?: readonly TierName[];
  readonly root: string;
  readonly limits: Pick<TestRun, 'concurrency' | 'timeoutMs' | 'stallMs'>;
  /** Rejects with `unavailable` when the tier cannot run here. */
  readonly require?: () => Promise<unknown> | unknown;
  /** Puts in place what the files share, and takes it away again. */
  readonly around?: (run: () => Promise<boolean>) => Promise<boolean>;
}

const NOT_RUN = 69;
const FAILED = 1;

export const runTier = async (tier: Tier): Promise<void> => {
  const args = process.argv.slice(2);
  const print = (text: string): void => void process.stdout.write(text);
  const io = {
    stdout: print,
    stderr: (text: string) => process.stderr.write(text),
    env: process.env,
    signal: new AbortController().signal,
  };
  try {
    if (args.includes('--help')) return print(`${tier.command}: ${TEST_USAGE}\n`);
    const plan = parseTestArguments({ args, env: io.env, freshSeed: Math.floor(Math.random() * 2 ** 32) });
    process.exitCode = await runPlan(tier, plan, print);
  } catch (error) {
    const code = reportFailure({ args, io }, error);
    // The code for "not run" is not for a tier that breaks.
    process.exitCode = code === NOT_RUN ? FAILED : code;
  }
};

const runPlan = async (tier: Tier, plan: TestPlan, print: (text: string) => void): Promise<number> => {
  const obstacle = await findObstacle(tier);
  if (obstacle !== undefined) {
    print(`not run: ${obstacle}\n`);
    return NOT_RUN;
  }
  const { around = (run) => run(), root, limits, alsoFinds = [] } = tier;
  const tiers = plan.filters.length === 0 ? [tier.command] : [tier.command, ...alsoFinds];
  const files = selectTestFiles(
    plan,
    tiers.flatMap((name) => findTierFiles(name, root)),
  );
  if (files.some(mayStartAgent)) process.env[AGENT_VARIABLE] ??= await shareBundle(root);
  const passed = await around(() => runTestFiles(files, { plan, root, print, ...limits }));
  if (!passed) print(`to repeat: ${renderRepeat(plan, tier.command)}\n`);
  return passed ? 0 : FAILED;
};

/** Only tests that cross folders start tart-kubelet as a process; all of them run one bundle. */
const mayStartAgent = (path: string): boolean => path.startsWith('test/');

/** What keeps the tier from running at all, if anything does. */
const findObstacle = async (tier: Tier): Promise<string | undefined> => {
  try {
    await tier.require?.();
    return undefined;
  } catch (error) {
    if (!(error instanceof FleetError) || error.kind !== 'unavailable') throw error;
    return `${error.message}. ${error.hint ?? ''}`.trim();
  }
};
