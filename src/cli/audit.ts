/** `macfleet audit`: what is wrong with a fleet, also one run by the Go original. Its flags; the work is in audit/. */
import { type Command, Option } from 'commander';
import type { AuditFlags } from './audit/run-audit.ts';
import { addContextFlags, addOutputFlag } from './cluster/cluster-flags.ts';
import { parsePrice } from './fleet/prices.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
It reads and changes nothing. Exit codes: 0 nothing found, 1 something found, 3 nothing found but some of it could not be
read. What Scaleway has and the cluster does not know is only seen with --servers.

Examples:
  macfleet audit
  macfleet audit -o json | jq '.findings[].code'
  scw apple-silicon server list -o json >servers.json && macfleet audit --servers servers.json
`;

export const addAuditCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('audit')
    .description('find what is wrong with a fleet, also one run by the Go original, and the way out of it');
  addOutputFlag(command)
    .option('--servers <file>', 'what `scw apple-silicon server list -o json` wrote')
    .addOption(
      new Option('--price <type=euros>', 'what a type costs per month')
        .default(new Map(), 'list price')
        .argParser(parsePrice),
    );
  addContextFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (flags: AuditFlags) => {
      const { runAudit } = await import('./audit/run-audit.ts');
      await runAudit(flags, io);
    });
};
