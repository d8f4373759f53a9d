/**
 * `npm run simulate`: whole fleets on the virtual clock, in trouble.
 *
 *     npm run simulate -- --seeds 2000          many schedules; prints what they found
 *     npm run simulate -- --seed 7 --trace      one of them, with everything that happened
 *     npm run simulate -- --replay file.json    a recorded schedule
 *     npm run simulate -- --systematic          reference scenarios, with each crash and each single fault once
 *     npm run simulate -- --exhaustive          every schedule of a tiny fleet, up to its bounds
 *     npm run simulate -- --mutant N1           the code with a known defect, which must be found; --mutants: all of them
 */
import '../bin/require-node.js';
import { availableParallelism } from 'node:os';
import { openProcess } from '../bin/process-io.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { runExhaustiveMode } from './simulate/exhaustive.ts';
import { parseSimulateFlags, type SimulateFlags } from './simulate/flags.ts';
import type { Mode } from './simulate/mode.ts';
import { runMutantMode, runMutantsMode } from './simulate/mutants.ts';
import { runOneMode } from './simulate/one.ts';
import { runSeedsMode } from './simulate/swarm.ts';
import { runSystematicMode } from './simulate/systematic.ts';

const { args, io } = openProcess();

const chooseMode = ({ seed, replay, systematic, exhaustive, mutant, mutants }: SimulateFlags): Mode => {
  if (exhaustive === true) return runExhaustiveMode;
  if (systematic === true) return runSystematicMode;
  if (mutants === true) return runMutantsMode;
  if (mutant !== undefined) return runMutantMode;
  return seed === undefined && replay === undefined ? runSeedsMode : runOneMode;
};

try {
  const flags = parseSimulateFlags(args);
  const isKept = await chooseMode(flags)({
    ...{ flags, signal: io.signal, cores: availableParallelism() },
    print: (text) => io.stdout(`${text}\n`),
    tell: (text) => (flags.json === true ? io.stderr : io.stdout)(`${text}\n`),
    elapsedMs: () => performance.now(),
  });
  process.exitCode = isKept ? 0 : 1;
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
