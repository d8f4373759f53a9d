/** `macfleet sim`: the simulators as programs of their own. Their flags; the work is in sim/. */
import { type Command, Option } from 'commander';
import { FleetError } from '../base/errors.ts';
import { parsePort, parseWhole } from '../base/flags/parse-number.ts';
import { CALLS_KEPT } from '../sim/cloud/call-log.ts';
import { DISPATCH_FAULTS } from '../sim/dispatch/fault-list.ts';
import { MAC_SCENARIO_STORIES } from '../sim/mac/bash/scenario-stories.ts';
import { addContextFlags, HOST_NAMES } from './cluster/cluster-flags.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';
import type { SimCloudFlags } from './sim/cloud.ts';
import type { SimDispatchFlags } from './sim/dispatch.ts';
import type { SimFaultFlags } from './sim/fault.ts';
import type { SimMacFlags } from './sim/mac.ts';
import { SCENARIOS } from './sim/scenarios.ts';

const SERVERS_MAX = 10_000;
const MACS_MAX = 200;
const JOBS_MAX = 10_000;
const SPEED_MAX = 100_000;
const TIMES_MAX = 1_000_000;
const CALLS_KEPT_MAX = 1_000_000;

const renderExamples = (): string => `
Examples:
  macfleet sim cloud --port 8080 --servers 12 --speed 60x
  macfleet sim cloud --state cloud.yaml
  macfleet sim cloud --scenario flapping-404

Scenarios:
${SCENARIOS.map(({ name, about }) => `  ${name.padEnd(14)} ${about}`).join('\n')}
`;

export const addSimCommand = (program: Command, io: CliIo): void => {
  const sim = program.command('sim').description('run a simulator on its own, or break what `up` simulates');
  sim.helpCommand('help [command]', 'print the help of a command').addHelpText('after', notes(EXAMPLES));
  sim
    .command('cloud')
    .description("a simulated Scaleway project that speaks Scaleway's HTTP API")
    .addOption(new Option('--port <port>', 'port of the API; 0 takes a free one').default(0).argParser(parsePort))
    .addOption(
      new Option('--control-port <port>', 'port of the control; 0 takes a free one').default(0).argParser(parsePort),
    )
    .addOption(new Option('--servers <count>', 'how many servers to begin with').default(3).argParser(parseServers))
    .addOption(new Option('--speed <times>', 'how much faster than life').default(1, '1x').argParser(parseSpeed))
    .addOption(
      new Option('--calls-kept <count>', 'how many calls that are no writes the control can show')
        .default(CALLS_KEPT)
        .argParser(parseCallsKept),
    )
    .option('--state <file>', 'go on with the state in this YAML file, and keep it there')
    .option('--scenario <name>', 'begin in a prepared situation')
    .addHelpText('after', notes(renderExamples))
    .action(async (flags: SimCloudFlags) => {
      const { runSimCloud } = await import('./sim/cloud.ts');
      await runSimCloud(flags, io);
    });
  addSimMacCommand(sim, io);
  addSimDispatchCommand(sim, io);
  addSimFaultCommand(sim, io);
};

const addSimFaultCommand = (sim: Command, io: CliIo): void => {
  const command = sim
    .command('fault')
    .description(
      'let something go wrong in the simulation behind a cluster of `up`; without a name, list what there is',
    )
    .argument('[fault]', 'its name')
    .option('--mac <host>', `only on this Mac: ${HOST_NAMES}`)
    .addOption(new Option('--count <count>', 'how often; a switch stays on unless given').argParser(parseTimes))
    .option('--verb <verb>', 'only in calls of this kind')
    .option('--off', 'switch it off', false)
    .option('--dispatcher', "the dispatcher's, where the cloud has one of the same name", false)
    .option('--control <url>', 'of `sim cloud` or `sim dispatch`, instead of a cluster');
  addContextFlags(command)
    .addHelpText('after', notes(FAULT_EXAMPLES))
    .action(async (fault: string | undefined, flags: Omit<SimFaultFlags, 'fault'>) => {
      const { runSimFault } = await import('./sim/fault.ts');
      await runSimFault({ ...flags, fault }, io);
    });
};

const EXAMPLES = `
Examples:
  macfleet sim cloud --servers 12 --speed 60x
  macfleet sim mac --scenario pf-wedged
  macfleet sim fault reboot --mac 5b804c04
`;

const FAULT_EXAMPLES = `
Examples:
  macfleet sim fault                            # what there is, and what is on
  macfleet sim fault reboot --mac 5b804c04      # a Mac restarts: its Node goes and comes back
  macfleet sim fault F05 --count 20             # the next 20 calls of the cloud meet a 429
  macfleet sim fault F18c                       # passwords are sealed, until --off
  macfleet sim fault F05 --control http://127.0.0.1:4000    # of a \`macfleet sim cloud\`
`;

const addSimMacCommand = (sim: Command, io: CliIo): void => {
  sim
    .command('mac')
    .description('simulated Macs that a person, or prepare-fleet-host, logs in to over SSH')
    .addOption(new Option('--count <count>', 'how many').default(1).argParser(parseMacs))
    .addOption(
      new Option('--port <port>', 'SSH port of the first, the others follow; 0 takes free ones')
        .default(0)
        .argParser(parsePort),
    )
    .addOption(new Option('--speed <times>', 'how much faster than life').default(1, '1x').argParser(parseSpeed))
    .addOption(
      new Option('--kind <kind>', 'the best that is possible here unless given').choices(['real-bash', 'step-level']),
    )
    .option('--scenario <name>', 'begin in a prepared situation')
    .addHelpText('after', notes(renderMacExamples))
    .action(async (flags: SimMacFlags) => {
      const { runSimMac } = await import('./sim/mac.ts');
      await runSimMac(flags, io);
    });
};

const addSimDispatchCommand = (sim: Command, io: CliIo): void => {
  sim
    .command('dispatch')
    .description('a simulated job dispatcher, and the GitHub behind it: jobs for runners')
    .addOption(
      new Option('--port <port>', 'port of the dispatcher; 0 takes a free one').default(0).argParser(parsePort),
    )
    .addOption(
      new Option('--control-port <port>', 'port of the control; 0 takes a free one').default(0).argParser(parsePort),
    )
    .addOption(new Option('--speed <times>', 'how much faster than life').default(1, '1x').argParser(parseSpeed))
    .addOption(new Option('--jobs <count>', 'how many jobs to begin with').default(0).argParser(parseJobs))
    .option('--pool <name>', 'the RunnerPool that these are for', 'ci')
    .addOption(
      new Option('--protocol <number>', '1 is the original, without the drain handshake')
        .default(2)
        .argParser(parseProtocol),
    )
    .addOption(
      new Option('--fault <id>', 'begin with this fault; may be given several times').default([]).argParser(addFault),
    )
    .option('--kubeconfig <file>', 'ask this cluster about tokens, Pods and pools')
    .addOption(
      new Option('--controller <namespace/name>', 'the ServiceAccount of the runners controller')
        .default({ namespace: 'tuist', name: 'runners-controller' }, 'tuist/runners-controller')
        .argParser(parseAccount),
    )
    .addHelpText('after', notes(renderDispatchExamples))
    .action(async (flags: SimDispatchFlags) => {
      const { runSimDispatch } = await import('./sim/dispatch.ts');
      await runSimDispatch(flags, io);
    });
};

const renderDispatchExamples = (): string => `
Examples:
  macfleet sim dispatch --jobs 20 --speed 60x
  macfleet sim dispatch --kubeconfig ~/.kube/config --controller tuist/runners-controller
  macfleet sim dispatch --protocol 1 --fault F96b

Faults:
${Object.entries(DISPATCH_FAULTS)
  .map(([id, { story }]) => `  ${id.padEnd(11)} ${story}`)
  .join('\n')}
`;

const renderMacExamples = (): string => `
Examples:
  macfleet sim mac --count 3
  macfleet sim mac --count 3 --scenario pf-wedged --port 2201

Scenarios:
${Object.entries(MAC_SCENARIO_STORIES)
  .map(([name, about]) => `  ${name.padEnd(19)} ${about}`)
  .join('\n')}
`;

const parseMacs = (text: string): number => parseWhole(text, { least: 1, most: MACS_MAX, what: 'count of Macs' });

const parseJobs = (text: string): number => parseWhole(text, { least: 0, most: JOBS_MAX, what: 'count of jobs' });

const parseProtocol = (text: string): 1 | 2 =>
  parseWhole(text, { least: 1, most: 2, what: 'protocol' }) === 1 ? 1 : 2;

const addFault = (id: string, others: readonly string[]): readonly string[] => [...others, id];

const parseAccount = (text: string): SimDispatchFlags['controller'] => {
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new FleetError('invalid', {
    code: 'BadAccount',
    message: `"${text}" is no ServiceAccount`,
    hint: 'Write its namespace and its name: tuist/runners-controller.',
  });
};

const parseTimes = (text: string): number => parseWhole(text, { least: 1, most: TIMES_MAX, what: 'count' });

const parseServers = (text: string): number =>
  parseWhole(text, { least: 0, most: SERVERS_MAX, what: 'count of servers' });

const parseCallsKept = (text: string): number =>
  parseWhole(text, { least: 0, most: CALLS_KEPT_MAX, what: 'count of calls' });

const parseSpeed = (text: string): number => {
  const times = /^\d+(\.\d+)?x?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (times > 0 && times <= SPEED_MAX) return times;
  throw new FleetError('invalid', {
    code: 'BadSpeed',
    message: `"${text}" is no speed`,
    hint: `Write how many times faster than life, such as 60x; at most ${SPEED_MAX}x.`,
  });
};
