/** `macfleet up`: a whole fleet on this machine, with simulated Macs. Its flags; the work is in up/run-up.ts. */
import { type Command, Option } from 'commander';
import { parsePort, parseWhole } from '../base/flags/parse-number.ts';
import type { CliIo } from './io.ts';
import type { UpFlags } from './up/up-flags.ts';

export const addUpCommand = (program: Command, io: CliIo): void => {
  program
    .command('up')
    .description('start a control plane, the controllers and simulated Macs on this machine')
    .addOption(new Option('--until <state>', 'stop when this is reached').choices(['ready', 'jobs-done']))
    .option('--data <folder>', 'keep the objects and the kubeconfig there')
    .addOption(new Option('--macs <count>', 'how many Macs').default(3).argParser(parseCount))
    .addOption(
      new Option('--fleet <kind>', 'what they are for: a Job of Kubernetes, or runners of CI jobs')
        .choices(['macos', 'runners'])
        .default('macos'),
    )
    .addOption(new Option('--jobs <count>', 'how many jobs runners get').default(20).argParser(parseJobs))
    .addOption(
      new Option('--port <port>', 'port of the API server; 0 takes a free one, or with --data the one of the last run')
        .default(0)
        .argParser(parsePort),
    )
    .addOption(
      new Option('--provider <where>', 'run the provider here, or leave it to bin/manager.ts elsewhere')
        .choices(['here', 'elsewhere'])
        .default('here'),
    )
    .addOption(
      new Option('--macs-as <kind>', 'the best that is possible here unless given').choices([
        'real-bash',
        'step-level',
      ]),
    )
    .option('--log', 'show the log of the controllers on stderr', false)
    .action(async (flags: UpFlags) => {
      const { runUp } = await import('./up/run-up.ts');
      await runUp(flags, io);
    });
};

const parseCount = (text: string): number => parseWhole(text, { least: 1, most: 100, what: 'count of Macs' });
const parseJobs = (text: string): number => parseWhole(text, { least: 1, most: 1_000, what: 'count of jobs' });
