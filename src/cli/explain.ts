/** `macfleet explain CODE`: what an error or a finding means, and what to do. The work is in explain/. */
import type { Command } from 'commander';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Examples:
  macfleet explain ServerCertificateUntrusted
  macfleet explain EndlessToken
  macfleet explain unavailable
`;

export const addExplainCommand = (program: Command, io: CliIo): void => {
  program
    .command('explain')
    .description('say what the code of an error or of a finding means, and what to do')
    .argument('<code>', 'as an error or an audit prints it')
    .addHelpText('after', notes(HELP))
    .action(async (code: string) => {
      const { explain } = await import('./explain/explain.ts');
      const { lookOf } = await import('./show/look.ts');
      const { parseErrorCodes } = await import('./explain/parse-error-codes.ts');
      const { default: file } = await import('./explain/error-codes.json', { with: { type: 'json' } });
      io.stdout(`${explain(code, parseErrorCodes(file), lookOf(io))}\n`);
    });
};
