/** `macfleet simulate`: whole fleets on the virtual clock, in trouble. The tool that does it knows its own flags. */
import type { Command } from 'commander';
import { EndedWith } from './ended-with.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
The same as npm run simulate. macfleet simulate --help names all flags.

Examples:
  macfleet simulate --seeds 200
  macfleet simulate --seed 7 --trace
  macfleet simulate --mutant N1
`;

export const addSimulateCommand = (program: Command, io: CliIo): void => {
  program
    .command('simulate')
    .description('search whole fleets on the virtual clock for broken promises; exits 1 when one is found')
    .argument('[flags...]', 'which schedules, and what to tell of them')
    .helpOption(false)
    .allowUnknownOption()
    .addHelpText('after', notes(HELP))
    .action(async (flags: readonly string[]) => {
      const { runSimulateTool } = await import('./simulate/run-tool.ts');
      const exitCode = await runSimulateTool(flags, io.signal);
      if (exitCode !== 0) throw new EndedWith(exitCode);
    });
};
