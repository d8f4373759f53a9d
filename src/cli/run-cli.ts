/** The command line: which commands exist, and how the end of a command becomes an exit code. */
import { Command, CommanderError } from 'commander';
import { FleetError } from '../base/errors.ts';
import { addAuditCommand } from './audit.ts';
import { addCompletionCommand } from './completion.ts';
import { addControlPlaneCommand } from './control-plane.ts';
import { addDescribeCommand } from './describe.ts';
import { addDetachCommand } from './detach.ts';
import { EndedWith } from './ended-with.ts';
import { addExplainCommand } from './explain.ts';
import { addInstallCommand } from './install.ts';
import type { CliIo } from './io.ts';
import { addLogsCommand } from './logs.ts';
import { addPrepareFleetHostCommand } from './prepare-fleet-host.ts';
import { isReaderGone, READER_GONE_EXIT } from './reader-gone.ts';
import { addRebootCommand } from './reboot.ts';
import { refuseEmptyPaths } from './refuse-empty-paths.ts';
import { addReleaseCommand } from './release.ts';
import { reportFailure } from './report-failure.ts';
import { HELP_COLUMNS, HELP_FORMAT, notes } from './show/help-format.ts';
import { addSimCommand } from './sim.ts';
import { addSimulateCommand } from './simulate.ts';
import { addSshCommand } from './ssh.ts';
import { addStatusCommand } from './status.ts';
import { addUpCommand } from './up.ts';
import { addVersionCommand } from './version.ts';

export interface CliRun {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly version: string;
  readonly io: CliIo;
}

const SUCCESS = 0;

/** Runs one command to its end. Never throws: what went wrong is on stderr and in the exit code. */
export const runCli = async (run: CliRun): Promise<number> => {
  const program = createProgram(run);
  try {
    const alone = run.args.length > 1 ? undefined : findGroup(program, run.args[0]);
    if (alone === undefined) await program.parseAsync(turnHelp(program, run.args), { from: 'user' });
    else alone.outputHelp();
    return isReaderGone(run.io.signal) ? READER_GONE_EXIT : SUCCESS;
  } catch (thrown) {
    if (thrown instanceof EndedWith) return thrown.exitCode;
    if (!(thrown instanceof CommanderError)) return reportFailure(run, thrown);
    return thrown.exitCode === 0 ? SUCCESS : reportFailure(run, toUsageError(thrown));
  }
};

/** Commands that have commands: alone, they print what there is. */
const findGroup = (program: Command, name: string | undefined): Command | undefined =>
  name === undefined ? program : program.commands.find((one) => one.name() === name && one.commands.length > 0);

/** `help sim cloud` is `sim help cloud`, which is all that the parser knows. */
const turnHelp = (program: Command, args: readonly string[]): readonly string[] => {
  const [help, group, ...rest] = args;
  const isTurned = help === 'help' && group !== undefined && rest.length > 0 && findGroup(program, group) !== undefined;
  return isTurned ? [group, help, ...rest] : args;
};

const HELP = `
Examples:
  macfleet up                            # a whole fleet on this machine, simulated
  macfleet status                        # the fleet of the current context
  macfleet describe machine macos-x7k2p
  macfleet audit                         # also a fleet of the Go original

As kubectl macfleet too. macfleet help <command> says more of each.
`;

/** Also for whoever writes down what there is: completion, and the page of commands. */
export const createProgram = ({ version, io }: Omit<CliRun, 'args'>): Command => {
  const program = new Command('macfleet')
    .description('Rented Mac minis as ordinary Kubernetes Nodes')
    .version(version, '--version', 'print the version')
    .option('--debug', 'show stack traces with errors')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', notes(HELP))
    .exitOverride()
    .configureHelp(HELP_FORMAT)
    .configureOutput({
      ...{ writeOut: io.stdout, writeErr: () => undefined, outputError: () => undefined },
      // A width of 0 is that of a terminal that does not know it.
      getOutHelpWidth: () => (io.isTerminal === true && io.columns ? io.columns : HELP_COLUMNS),
    });
  program.commandsGroup('Try it here:');
  addUpCommand(program, io);
  addControlPlaneCommand(program, io);
  addSimCommand(program, io);
  addSimulateCommand(program, io);
  program.commandsGroup('Look at a fleet:');
  addStatusCommand(program, io);
  addDescribeCommand(program, io);
  addLogsCommand(program, io);
  addAuditCommand(program, io);
  program.commandsGroup('Act on it:');
  addInstallCommand(program, io);
  addReleaseCommand(program, io);
  addDetachCommand(program, io);
  addRebootCommand(program, io);
  addSshCommand(program, io);
  addPrepareFleetHostCommand(program, io);
  program.commandsGroup('About this program:');
  addExplainCommand(program, io);
  addVersionCommand(program, io);
  addCompletionCommand(program, io);
  return refuseEmptyPaths(program.helpCommand('help [command]', 'print the help of a command'));
};

/** The parser's own sentence ("unknown command 'upp'"), with its suggestion moved into the hint. */
const toUsageError = (error: CommanderError): FleetError => {
  const [sentence = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const help = 'Run `macfleet --help` for the commands and options.';
  return new FleetError('invalid', {
    code: 'BadUsage',
    message: error.code === 'commander.help' ? 'there is no such command to give help on' : sentence,
    hint: suggestion === undefined ? help : `${suggestion.replace(/^\((.*)\)$/, '$1')} ${help}`,
  });
};
