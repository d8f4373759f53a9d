/** `macfleet ssh`: a shell on a Mac, with the fleet's key. Its flags; the work is in ssh/. */
import { type Command, Option } from 'commander';
import { parsePort } from '../base/flags/parse-number.ts';
import { addContextFlags, HOST_NAMES } from './cluster/cluster-flags.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';
import type { SshFlags } from './ssh/run-ssh.ts';

const HELP = `
The key comes from the Secret <fleet>-ssh, lies in a file of your own while ssh runs, and is removed afterwards. The Mac must show the
host key that the manager has on record. A Mac that works for a machine is refused without --force.

Examples:
  macfleet ssh 5b804c04
  macfleet ssh macos-x7k2p --force -- sw_vers
  macfleet ssh 5b804c04 --print
`;

export const addSshCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('ssh')
    .description("open a shell on a Mac with its fleet's key and the host key on record")
    .argument('<host>', HOST_NAMES)
    .argument('[command...]', 'what to run there instead of a shell')
    .option('--force', 'also on a Mac that works for a machine', false)
    .option('--print', 'print the commands instead of running them', false)
    .option('--user <name>', 'whom to log in as', 'm1')
    .addOption(new Option('--port <port>', 'of its SSH server').default(22).argParser(parsePort))
    .option('--secrets-namespace <name>', "where the fleet's key is, if there are several of its name");
  addContextFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (host: string, words: readonly string[], flags: Omit<SshFlags, 'host' | 'command'>) => {
      const { runSsh } = await import('./ssh/run-ssh.ts');
      await runSsh({ ...flags, host, command: words }, io);
    });
};
