/** `macfleet prepare-fleet-host`: what a person does to a Mac before a controller can. Its flags; the work is in its folder. */
import { type Command, Option } from 'commander';
import type { CliIo } from './io.ts';
import type { PrepareFlags } from './prepare-fleet-host/run-prepare.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Each Mac gets sudo without a password and automatic login, over SSH with the fleet's key alone; then the file that macOS
replaces when the password was wrong is read back. No cluster is needed. Run it again at any time: what is done is found done.

Passwords are asked for, one per Mac, without showing them. With --password-file, or - for standard input, give either one
line, a password for all, or a line "<host> <password>" for each.

Examples:
  macfleet prepare-fleet-host 51.15.0.10 --identity ~/.ssh/fleet
  macfleet prepare-fleet-host 51.15.0.10 51.15.0.11 --identity ~/.ssh/fleet --password-file passwords.txt
  macfleet prepare-fleet-host 127.0.0.1:2201 --identity sim-key --password-file - <password
`;

export const addPrepareFleetHostCommand = (program: Command, io: CliIo): void => {
  program
    .command('prepare-fleet-host')
    .description('give Macs sudo without a password and automatic login, so that a controller can take them up')
    .argument('<host...>', 'addresses of Macs, with :<port> unless it is 22')
    .addOption(new Option('--identity <file>', "the fleet's private key, OpenSSH format").makeOptionMandatory())
    .option('--user <name>', 'whom to log in as', 'm1')
    .option('--password-file <file>', 'read the passwords there; - is standard input')
    .option('--force', 'also Macs that a controller holds', false)
    .addHelpText('after', notes(HELP))
    .action(async (hosts: readonly string[], flags: Omit<PrepareFlags, 'hosts'>) => {
      const { runPrepare } = await import('./prepare-fleet-host/run-prepare.ts');
      await runPrepare({ ...flags, hosts }, io);
    });
};
