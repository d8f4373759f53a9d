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
import { cancelled } from '../src/base/errors.ts';
import { reportFailure } from '../src/cli/report-failure.ts';
import { runExhaustiveMode } from './simulate/exhaustive.ts';
import { parseSimulateFlags, type SimulateFlags } from './simulate/flags.ts';
import type { Mode } from './simulate/mode.ts';
import { runMutantMode, runMutantsMode } from './simulate/mutants.ts';
import { runOneMode } from './simulate/one.ts';
import { runSeedsMode } from './simulate/swarm.ts';
import { runSystematicMode } from './simulate/systematic.ts';

const args = process.argv.slice(2);
const stopping = new AbortController();
const io = { stderr: (text: string) => process.stderr.write(text) };

const chooseMode = ({ seed, replay, systematic, exhaustive, mutant, mutants }: SimulateFlags): Mode => {
  if (exhaustive === true) return runExhaustiveMode;
  if (systematic === true) return runSystematicMode;
  if (mutants === true) return runMutantsMode;
  if (mutant !== undefined) return runMutantMode;
  return seed === undefined && replay === undefined ? runSeedsMode : runOneMode;
};

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stopping.abort(cancelled(`stopped by ${name}`)));
}
try {
  const flags = parseSimulateFlags(args);
  const isKept = await chooseMode(flags)({
    ...{ flags, signal: stopping.signal, cores: availableParallelism() },
    print: (text) => process.stdout.write(`${text}\n`),
    elapsedMs: () => performance.now(),
  });
  process.exitCode = isKept ? 0 : 1;
} catch (error) {
  process.exitCode = reportFailure({ args, io }, error);
}
