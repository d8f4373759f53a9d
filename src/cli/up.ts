/** `macfleet up`: a whole fleet on this machine, with simulated Macs. Its flags; the work is in up/run-up.ts. */
import { type Command, Option } from 'commander';
import { parseDuration } from '../base/duration.ts';
import { FleetError } from '../base/errors.ts';
import { parseList } from '../base/flags/flag-values.ts';
import { parsePort, parseWhole } from '../base/flags/parse-number.ts';
import { auditOptions } from './control-plane/audit-flags.ts';
import type { CliIo } from './io.ts';
import { notes } from './show/help-format.ts';
import { FLEET_NAMES, type FleetName, type GivenFlags } from './up/up-flags.ts';

export const addUpCommand = (program: Command, io: CliIo): void => {
  const command = program
    .command('up')
    .description('start a control plane, the controllers and simulated Macs on this machine');
  for (const [group, options] of Object.entries(GROUPS)) {
    for (const option of options) command.addOption(option.helpGroup(group));
  }
  command.addHelpText('after', notes(HELP)).action(async (flags: GivenFlags) => {
    const { runUp } = await import('./up/run-up.ts');
    await runUp(flags, io);
  });
};

const parseMachines = (text: string): number => parseWhole(text, { least: 1, most: 1_000, what: 'count of Macs' });
const parseJobs = (text: string): number => parseWhole(text, { least: 1, most: 1_000, what: 'count of jobs' });
const parseSpeed = (text: string): number => parseWhole(text, { least: 1, most: 1_000, what: 'speed' });

const parseSeed = (text: string): number => parseWhole(text, { least: 0, most: 4_294_967_295, what: 'seed' });

const parseFleets = (text: string): readonly FleetName[] => {
  const asked = parseList(text);
  const fleets = FLEET_NAMES.filter((name) => asked.includes(name));
  const strange = asked.find((name) => !FLEET_NAMES.some((known) => known === name));
  if (strange === undefined && fleets.length > 0) return fleets;
  throw new FleetError('invalid', {
    code: 'UnknownFleet',
    message: `"${strange ?? text}" is no fleet`,
    hint: `Name one or several of ${FLEET_NAMES.join(', ')}, with commas between them.`,
  });
};

const ENDS = [
  new Option('--until <state>', 'stop when this is reached, or fail and say what is missing').choices([
    'ready',
    'jobs-done',
    'verdict',
  ]),
  new Option('--timeout <time>', 'how long --until may take; 5m unless given').argParser(parseDuration),
];

const FLEET = [
  new Option(
    '--machines <count>',
    'how many Macs, over all fleets; 3 unless given, or with --data as many as were kept',
  ).argParser(parseMachines),
  new Option(
    '--fleet <fleets>',
    'of macos, runners and builders, with commas between them; macos,runners unless given',
  ).argParser(parseFleets),
  new Option(
    '--jobs <count>',
    'how many CI jobs runners get; 8 unless given, 20 with runners alone; without --until they never end',
  ).argParser(parseJobs),
  new Option('--speed <factor>', 'how much faster than life the simulated cloud is; 100 unless given').argParser(
    parseSpeed,
  ),
  new Option('--macs-as <kind>', 'the best that is possible here unless given').choices(['real-bash', 'step-level']),
];

const KEPT = [
  new Option('--data <folder>', 'keep the fleet there: the next up goes on with it'),
  new Option('--clean', 'throw away first what an earlier run left in --data').default(false),
];

const TROUBLE = [
  new Option('--chaos', 'kill managers, break connections and lose answers, and judge what came of it').default(false),
  new Option('--compare', "the same chaos under a model of the original's order of effects, beside it").default(false),
  new Option('--for <time>', 'how long the chaos lasts; 60s unless given').argParser(parseDuration),
  new Option('--seed <number>', 'the same chaos again; drawn unless given').argParser(parseSeed),
];

const OTHERS = [
  new Option('--json', 'a line of JSON for each change').default(false),
  new Option('--log', 'show the log of the controllers on stderr').default(false),
  ...auditOptions(),
  new Option(
    '--port <port>',
    'port of the API server; 0 takes a free one, or with --data the one of the last run if it is free',
  )
    .default(0)
    .argParser(parsePort),
  new Option('--provider <where>', 'run the provider here, or leave it to bin/manager.ts elsewhere')
    .choices(['here', 'elsewhere'])
    .default('here'),
];

const GROUPS: Readonly<Record<string, readonly Option[]>> = {
  'When it ends:': ENDS,
  'What is simulated:': FLEET,
  'What is kept:': KEPT,
  'Trouble:': TROUBLE,
  'Options:': OTHERS,
};

const HELP = `
Examples:
  macfleet up                                # three Macs and work on them; Ctrl-C stops
  macfleet up --until jobs-done              # for a script: exits 0, or says what is missing
  macfleet up --data fleet                   # the next one goes on where this one ended
  macfleet up --chaos --compare --seed 10    # managers are killed, and a verdict
`;
