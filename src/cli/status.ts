/** `macfleet status`: the fleet at a glance. Its flags; the work is in status/. */
import { type Command, Option } from 'commander';
import { addClusterFlags, addOutputFlag } from './cluster/cluster-flags.ts';
import { parsePrice } from './fleet/prices.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';
import type { StatusFlags } from './status/run-status.ts';

const HELP = `
Examples:
  macfleet status
  macfleet status -n ci --watch
  macfleet status -o json | jq '.waits[] | select(.kind == "machine")'
  macfleet status --price M2-L=140
`;

export const addStatusCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('status')
    .description('show Macs, their leases and cost, machines, Nodes, Pods and jobs, and what waits for what');
  addOutputFlag(command)
    .option('-w, --watch', 'show every change until stopped', false)
    .addOption(
      new Option('--price <type=euros>', 'what a type costs per month')
        .default(new Map(), 'list price')
        .argParser(parsePrice),
    );
  addClusterFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (flags: StatusFlags) => {
      const { runStatus } = await import('./status/run-status.ts');
      await runStatus(flags, io);
    });
};
