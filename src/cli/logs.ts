/** `macfleet logs`: what a Pod, or the Pods of a Job, printed. Its flags; the work is in logs/. */
import { type Command, Option } from 'commander';
import { parseDuration } from '../base/duration.ts';
import { parseWhole } from '../base/flags/parse-number.ts';
import { addClusterFlags } from './cluster/cluster-flags.ts';
import { parseLogTarget } from './describe/target.ts';
import type { CliIo } from './io.ts';
import type { LogsFlags } from './logs/run-logs.ts';
import { notes } from './show/help-format.ts';

const HELP = `
Several Pods are told apart by their name before each line.

Examples:
  macfleet logs runner-1 -f
  macfleet logs job/build -n ci --tail 50
`;

const LINES_MAX = 1_000_000;
const parseLines = (text: string): number => parseWhole(text, { least: 0, most: LINES_MAX, what: 'count of lines' });
const parseSeconds = (text: string): number => Math.max(1, Math.ceil(parseDuration(text) / 1_000));

export const addLogsCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('logs')
    .description('print what a Pod, or the Pods of a Job, printed')
    .argument('<what...>', 'the name of a Pod, or job/<name>')
    .option('-f, --follow', 'go on until it ends', false)
    .option('-p, --previous', 'of the container before the last restart', false)
    .option('--timestamps', 'with the time of each line', false)
    .option('-c, --container <name>', 'where there are several')
    .addOption(new Option('--tail <lines>', 'only the last ones').argParser(parseLines))
    .addOption(new Option('--since <duration>', 'only what is younger: 5m').argParser(parseSeconds));
  addClusterFlags(command)
    .addHelpText('after', notes(HELP))
    .action(async (what: readonly string[], flags: Omit<LogsFlags, 'target'>) => {
      const target = parseLogTarget(what);
      const { runLogs } = await import('./logs/run-logs.ts');
      await runLogs({ ...flags, target }, io);
    });
};
