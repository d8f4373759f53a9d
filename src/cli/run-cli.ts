/** The command line: which commands exist, and how the end of a command becomes an exit code. */
import { Command, CommanderError } from 'commander';
import { FleetError } from '../base/errors.ts';
import { addControlPlaneCommand } from './control-plane.ts';
import type { CliIo } from './io.ts';
import { addPrepareFleetHostCommand } from './prepare-fleet-host.ts';
import { reportFailure } from './report-failure.ts';
import { addSimCommand } from './sim.ts';
import { addUpCommand } from './up.ts';

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
    if (run.args.length === 0) program.outputHelp();
    else await program.parseAsync(run.args, { from: 'user' });
    return SUCCESS;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) return reportFailure(run, thrown);
    return thrown.exitCode === 0 ? SUCCESS : reportFailure(run, toUsageError(thrown));
  }
};

const createProgram = ({ version, io }: CliRun): Command => {
  const program = new Command('macfleet')
    .description('Rented Mac minis as ordinary Kubernetes Nodes')
    .version(version, '--version', 'print the version')
    .option('--debug', 'show stack traces with errors')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: () => undefined, outputError: () => undefined });
  addUpCommand(program, io);
  addControlPlaneCommand(program, io);
  addPrepareFleetHostCommand(program, io);
  addSimCommand(program, io);
  return program;
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
