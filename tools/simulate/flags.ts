/** The flags of `npm run simulate`, and what a wrong one is answered with. */
import { Command, type CommanderError, Option } from 'commander';
import { FleetError } from '../../src/base/errors.ts';
import { parseWhole } from '../../src/base/flags/parse-number.ts';
import { refuseEmptyPaths } from '../../src/cli/refuse-empty-paths.ts';

export interface SimulateFlags {
  /** Absent: as many as the mode has as its standard. */
  readonly seeds?: number;
  readonly from: number;
  readonly seed?: string;
  readonly replay?: string;
  readonly systematic?: true;
  readonly every: number;
  readonly everyCrash: number;
  readonly exhaustive?: true;
  readonly minutes: number;
  readonly steps: number;
  readonly mutant?: string;
  readonly mutants?: true;
  readonly trace?: true;
  readonly json?: true;
  readonly unreached?: true;
  readonly shrink: number;
  readonly save?: string;
  readonly workers?: number;
}

/** Each is a mode of its own. */
const MODES = ['seed', 'replay', 'systematic', 'exhaustive', 'mutant', 'mutants'];

const whole =
  (what: string, least: number) =>
  (text: string): number =>
    parseWhole(text, { least, most: 100_000_000, what });

const mode = (flags: string, is: string): Option => {
  const option = new Option(flags, is);
  return option.conflicts(MODES.filter((name) => name !== option.attributeName()));
};

/** Prints help and ends the process where the arguments ask for that. */
export const parseSimulateFlags = (args: readonly string[]): SimulateFlags =>
  refuseEmptyPaths(createCommand()).parse(args, { from: 'user' }).opts<SimulateFlags>();

const createCommand = (): Command =>
  new Command('npm run simulate -- (or: macfleet simulate)')
    .description('whole fleets on the virtual clock, in trouble; exits 1 when a promise is broken')
    .option('--seeds <count>', 'so many schedules (100; for a mutant, what it is allowed)', whole('count of seeds', 1))
    .option('--from <seed>', 'the first of them', whole('seed', 0), 1)
    .addOption(mode('--seed <seed>', 'one schedule'))
    .addOption(mode('--replay <file>', 'a recorded schedule, as --save writes it'))
    .addOption(mode('--systematic', 'reference scenarios, with each crash and each single fault once'))
    .option('--every <n>', 'of the systematic faults only every n-th', whole('distance of faults', 1), 1)
    .option('--every-crash <n>', 'of the systematic crashes only every n-th', whole('distance of crashes', 1), 1)
    .addOption(mode('--exhaustive', 'every schedule of a tiny fleet, up to its bounds'))
    .option('--minutes <count>', 'how long the exhaustive search may take', whole('count of minutes', 1), 10)
    .option('--steps <count>', 'how far from its dullest schedule it goes', whole('count of steps', 0), 2)
    .addOption(mode('--mutant <id>', 'the code with one known defect: exits 0 when it is found'))
    .addOption(mode('--mutants', 'all of them'))
    .option('--trace', 'print everything that happens (--seed, --replay)')
    .option('--json', 'print one line: the summary')
    .option('--unreached', 'name everything that was reached too rarely, not the first few')
    .option('--shrink <tries>', 'replays that may be spent on making a schedule small', whole('count of tries', 0), 100)
    .option('--save <file>', 'keep the shrunk schedule of the first violation')
    .option('--workers <count>', 'processes at once; one for each processor unless given', whole('count of workers', 1))
    .allowExcessArguments(false)
    .configureOutput({ outputError: () => undefined })
    // Help goes on to end the process.
    .exitOverride((error) => {
      if (error.exitCode !== 0) throw toUsageError(error);
    });

const toUsageError = ({ message }: CommanderError): FleetError =>
  new FleetError('invalid', {
    code: 'BadUsage',
    message: message.replace(/^error: /, '').replaceAll('\n', ' '),
    hint: 'Run `npm run simulate -- --help` for all flags.',
  });
