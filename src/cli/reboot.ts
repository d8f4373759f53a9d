/** `macfleet reboot`: asks for one reboot of a Mac. Its flags; the work is in reboot/. */
import type { Command } from 'commander';
import { addActFlags } from './act/act-flags.ts';
import { addContextFlags, HOST_NAMES } from './cluster/cluster-flags.ts';
import type { CliIo } from './io.ts';
import type { RebootFlags } from './reboot/run-reboot.ts';
import { notes } from './show/help-format.ts';

const HELP = `
It writes spec.rebootRequest of the MacHost, which needs the verb "reboot" on machosts; the manager asks Scaleway, once. Too many
wrong passwords lock sudo until a reboot, and a Mac that hangs often comes back with one.

Examples:
  macfleet reboot macos-x7k2p --reason "sudo is locked"
  macfleet reboot 5b804c04 --yes
`;

export const addRebootCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('reboot')
    .description('ask for one reboot of a Mac')
    .argument('<host>', HOST_NAMES)
    .option('--reason <text>', 'why, as a sentence');
  addContextFlags(addActFlags(command))
    .addHelpText('after', notes(HELP))
    .action(async (host: string, flags: Omit<RebootFlags, 'host'>) => {
      const { runReboot } = await import('./reboot/run-reboot.ts');
      await runReboot({ ...flags, host }, io);
    });
};
