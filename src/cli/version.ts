/** `macfleet version`: ours, and that of the cluster. The work is in version/. */
import type { Command } from 'commander';
import { addContextFlags, addOutputFlag } from './cluster/cluster-flags.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';
import type { VersionFlags } from './version/run-version.ts';

const HELP = `
Examples:
  macfleet version
  macfleet version --client -o json
`;

export const addVersionCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('version')
    .description('print the version of this program, and of the cluster if there is one');
  addOutputFlag(command, ['table', 'json', 'yaml']).option('--client', 'ours alone', false);
  addContextFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (flags: VersionFlags) => {
      const { runVersion } = await import('./version/run-version.ts');
      await runVersion({ ...flags, version: program.version() ?? '' }, io);
    });
};
