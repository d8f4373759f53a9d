/** `macfleet up`: a whole fleet on this machine, with simulated Macs. */
import { type Command, Option } from 'commander';
import { abortable, linkedController } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { FleetError, isKind } from '../base/errors.ts';
import { createLogger, type Logger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { renderDemo } from '../world/demo-fleet.ts';
import type { CliIo } from './io.ts';
import { createOrIgnore } from './up/create-or-ignore.ts';
import { openDataFolder } from './up/data-folder.ts';
import { createFleetView, type FleetView, renderTable } from './up/fleet-view.ts';
import { type Fleet, startFleet } from './up/start-fleet.ts';

interface UpFlags {
  readonly until?: 'ready' | 'jobs-done';
  readonly data?: string;
  readonly macs: number;
  readonly port: number;
  readonly log: boolean;
}

/** Simulated clouds and Macs take minutes for what a person wants to see in seconds. */
const SPEED_UP = 100;

export const addUpCommand = (program: Command, io: CliIo): void => {
  program
    .command('up')
    .description('start a control plane, the controllers and simulated Macs on this machine')
    .addOption(new Option('--until <state>', 'stop when this is reached').choices(['ready', 'jobs-done']))
    .option('--data <folder>', 'keep the objects and the kubeconfig there')
    .addOption(new Option('--macs <count>', 'how many Macs').default(3).argParser(parseCount))
    .addOption(
      new Option('--port <port>', 'port of the API server; 0 takes a free one').default(0).argParser(parsePort),
    )
    .option('--log', 'show the log of the controllers on stderr', false)
    .action((flags: UpFlags) => up(flags, io));
};

const parseCount = (text: string): number => parseWhole(text, { least: 1, most: 100, what: 'count of Macs' });
const parsePort = (text: string): number => parseWhole(text, { least: 0, most: 65_535, what: 'port' });

const parseWhole = (text: string, { least, most, what }: { least: number; most: number; what: string }): number => {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new FleetError('invalid', {
    code: 'BadNumber',
    message: `"${text}" is no ${what}`,
    hint: `Give a whole number from ${least} to ${most}.`,
  });
};

const up = async (flags: UpFlags, io: CliIo): Promise<void> => {
  const clock = createSystemClock();
  const startedMs = clock.elapsed();
  const random = createSystemRandom();
  const logger = createLogger({ clock, level: flags.log ? 'info' : 'error', destination: { write: io.stderr } });
  const folder = openDataFolder(flags.data);
  const life = linkedController(io.signal);
  const say = (text: string): void => io.stdout(`${text}\n`);
  let fleet: Fleet | undefined;
  try {
    const { macs, port } = flags;
    const { databaseFile } = folder;
    const options = { clock, random, logger, macs, port, speedUp: SPEED_UP };
    fleet = await startFleet(databaseFile === undefined ? options : { ...options, databaseFile }, life.signal);
    say(`API server ready at ${fleet.url} after ${Math.round(clock.elapsed() - startedMs)} ms`);
    say(`kubeconfig: ${folder.writeKubeconfig(fleet.kubeconfig)}`);
    say(`Simulated cloud and Macs run ${SPEED_UP} times faster than life; no real Mac is touched.`);
    for (const demo of renderDemo(macs)) await createOrIgnore(fleet.client, demo, life.signal);
    await follow({ flags, fleet, logger, say }, life.signal);
    say(`After ${((clock.elapsed() - startedMs) / 1_000).toFixed(1)} s.`);
  } finally {
    life.abort();
    await fleet?.stop();
    folder.dispose();
  }
};

interface Following {
  readonly flags: UpFlags;
  readonly fleet: Fleet;
  readonly logger: Logger;
  readonly say: (text: string) => void;
}

/** Shows what happens until what was asked for is reached, or until the person stops it. */
const follow = async ({ flags, fleet, logger, say }: Following, signal: AbortSignal): Promise<void> => {
  const watching = linkedController(signal);
  const view = createFleetView({
    client: fleet.client,
    clock: createSystemClock(),
    random: createSystemRandom(),
    logger,
  });
  const running = view.run(watching.signal);
  const reached = Promise.withResolvers<void>();
  let shown = '';
  const look = (): void => {
    const table = `${renderTable(view.rows())}\nJob ${view.jobProgress()}, ${view.readyNodes()} Nodes ready\n`;
    if (table !== shown) say(table);
    shown = table;
    if (isReached(view, flags)) reached.resolve();
  };
  const stopLooking = view.onChange(look);
  try {
    await abortable(Promise.race([reached.promise, fleet.ended]), signal);
    say(flags.until === 'jobs-done' ? 'The Job is done.' : 'All Macs are ready.');
  } catch (error) {
    if (!signal.aborted || !isKind(error, 'cancelled')) throw error;
    say('Stopping.');
  } finally {
    stopLooking();
    watching.abort();
    await running;
  }
};

const isReached = (view: FleetView, { until, macs }: UpFlags): boolean => {
  if (until === 'ready') return view.readyNodes() >= macs && view.boundMachines() >= macs;
  return until === 'jobs-done' && view.isJobDone();
};
