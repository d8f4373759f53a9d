/** `macfleet describe`: one timeline of a Mac, a machine, a Pod or a job. Its flags; the work is in describe/. */
import type { Command } from 'commander';
import { addClusterFlags, addOutputFlag } from './cluster/cluster-flags.ts';
import type { DescribeFlags } from './describe/run-describe.ts';
import { parseTarget } from './describe/target.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
A Mac is found by its id or the beginning of it, by its machine or Node, and by its name at Scaleway. The timeline is put together
from the records, conditions and events of the object and of those it belongs to, from steps on the Mac, and from what the
cloud was seen to do. Most times have whole seconds: within one, what has a finer time goes by it, the rest from cause to effect (made,
asked for, the cloud, steps, containers, state, conditions, events), and events as they were stored.

Examples:
  macfleet describe host 5b804c04
  macfleet describe machine macos-x7k2p -n ci
  macfleet describe pod runner-1 --watch
  macfleet describe job/ci/build -o json
`;

export const addDescribeCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('describe')
    .description('tell the story of a host, machine, pod or job: what happened, when, and what it waits for')
    .argument('<what...>', 'host, machine, pod or job, and its name');
  addOutputFlag(command).option('-w, --watch', 'show every change until stopped', false);
  addClusterFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (what: readonly string[], flags: Omit<DescribeFlags, 'kind' | 'name'>) => {
      const target = parseTarget(what);
      const { runDescribe } = await import('./describe/run-describe.ts');
      await runDescribe({ ...flags, ...target }, io);
    });
};
