/** `macfleet release`: gives a Mac back that works for nobody. Its flags; the work is in release/. */
import { type Command, Option } from 'commander';
import { addActFlags } from './act/act-flags.ts';
import { addContextFlags, HOST_NAMES } from './cluster/cluster-flags.ts';
import type { CliIo } from './io.ts';
import type { ReleaseFlags } from './release/run-release.ts';
import { notes } from './show/help-format.ts';

const HELP = `
For a Mac that is held or in quarantine. It writes spec.release of the MacHost, which needs the verb "release" on machosts; the
manager does the rest. A Mac that works for a machine is refused.

Examples:
  macfleet release 5b804c04 --reason NotNeeded
  macfleet release 5b804c04 --policy terminate --reason TooMany --yes
`;

export const addReleaseCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('release')
    .description('wipe a Mac that works for nobody and put it back into its pool, or end its rent')
    .argument('<host>', HOST_NAMES)
    .addOption(
      new Option('--policy <policy>', 'wipe it for its pool, or end its rent')
        .choices(['pool', 'terminate'])
        .default('pool'),
    )
    .option('--reason <word>', 'why, as one word', 'OperatorRequest')
    .option('--message <text>', 'why, as a sentence');
  addContextFlags(addActFlags(command))
    .addHelpText('after', notes(HELP))
    .action(async (host: string, flags: Omit<ReleaseFlags, 'host'>) => {
      const { runRelease } = await import('./release/run-release.ts');
      await runRelease({ ...flags, host }, io);
    });
};
