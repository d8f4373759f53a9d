/** `macfleet detach`: takes a machine off its Mac, without a wipe. Its flags; the work is in detach/. */
import type { Command } from 'commander';
import { addActFlags } from './act/act-flags.ts';
import { addClusterFlags } from './cluster/cluster-flags.ts';
import type { DetachFlags } from './detach/run-detach.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Pauses the machine, clears its serverID and providerID, waits until the manager holds the Mac, and deletes the Machine: in this
order nothing adopts and nothing wipes. Cut off half-way it can be run again. Works on a fleet of the Go original too.

Examples:
  macfleet detach macos-x7k2p --dry-run
  macfleet detach macos-x7k2p -n ci --yes
`;

export const addDetachCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('detach')
    .description('take a machine off its Mac without a wipe; the Mac stays held')
    .argument('<machine>', 'its name')
    .option('--keep-machine', 'do not delete the Machine afterwards', false);
  addClusterFlags(addActFlags(command))
    .addHelpText('after', notes(HELP))
    .action(async (machine: string, flags: Omit<DetachFlags, 'machine'>) => {
      const { runDetach } = await import('./detach/run-detach.ts');
      await runDetach({ ...flags, machine }, io);
    });
};
