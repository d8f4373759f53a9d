/** The work behind `macfleet up`: starts the fleet, shows it, and stops it. Loaded only when the command runs. */
import { abortable, linkedController } from '../../base/abort.ts';
import { createSystemClock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';
import { createIds } from '../../base/ids.ts';
import { createLogger, type Logger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { openTriedRack } from '../../sim/mac/bash/try-sandbox.ts';
import { renderDemo } from '../../world/demo-fleet.ts';
import { parseSimulation, renderSimulation } from '../../world/saved-simulation.ts';
import type { CliIo } from '../io.ts';
import { createRedraw } from '../redraw.ts';
import { chooseMacs, describeChoice, type MacChoice, type MacKind, type MacWish } from './choose-macs.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { openDataFolder } from './data-folder.ts';
import { createFleetView, type FleetView, renderTable } from './fleet-view.ts';
import { type Fleet, startFleet } from './start-fleet.ts';

export interface UpFlags {
  readonly until?: 'ready' | 'jobs-done';
  readonly data?: string;
  readonly macs: number;
  readonly port: number;
  readonly provider: 'here' | 'elsewhere';
  readonly macsAs?: MacKind;
  readonly log: boolean;
}

/** Simulated clouds and Macs take minutes for what a person wants to see in seconds. */
const SPEED_UP = 100;

const HINTS = `Try in another terminal, with KUBECONFIG set to that file:
  kubectl get machinedeployments,machines,samm,machosts,nodes,pods
  kubectl describe machost
  kubectl logs job/hello-macos
  kubectl scale machinedeployment macos --replicas 1
Ctrl-C stops everything.
`;

export const runUp = async (flags: UpFlags, io: CliIo): Promise<void> => {
  const clock = createSystemClock();
  const startedMs = clock.elapsed();
  const random = createSystemRandom();
  const logger = createLogger({ clock, level: flags.log ? 'info' : 'error', destination: { write: io.stderr } });
  const folder = openDataFolder(flags.data);
  const life = linkedController(io.signal);
  const say = (text: string): void => io.stdout(`${text}\n`);
  let fleet: Fleet | undefined;
  let choice: MacChoice | undefined;
  try {
    const { macs, provider } = flags;
    const port = flags.port === 0 ? (folder.readPort() ?? 0) : flags.port;
    const { databaseFile } = folder;
    choice = provider === 'here' ? await chooseMacs(toWish(flags), () => openTriedRack(createIds(random))) : undefined;
    const saved = folder.readSimulation();
    fleet = await startFleet(
      {
        ...{ clock, random, logger, macs, port, provider, speedUp: SPEED_UP },
        save: (simulation) => folder.writeSimulation(renderSimulation(simulation)),
        ...(saved === undefined ? {} : { saved: parseSimulation(saved) }),
        ...(databaseFile === undefined ? {} : { databaseFile }),
        ...(choice?.kind === 'real-bash' ? { rack: choice.rack } : {}),
      },
      life.signal,
    );
    if (saved !== undefined) say('Going on where the last run in this folder ended.');
    say(`API server ready at ${fleet.url} after ${Math.round(clock.elapsed() - startedMs)} ms`);
    say(`kubeconfig: ${folder.writeKubeconfig(fleet.kubeconfig)}`);
    say(`The simulated cloud runs ${SPEED_UP} times faster than life, and safety waits are as much shorter.`);
    if (choice !== undefined) say(describeChoice(choice));
    say('No real Mac and no real account is touched.\n');
    if (flags.until === undefined) say(HINTS);
    for (const demo of renderDemo(macs)) await createOrIgnore(fleet.client, demo, life.signal);
    await follow({ flags, fleet, logger, say, draw: createRedraw(io) }, life.signal);
    say(
      `After ${((clock.elapsed() - startedMs) / 1_000).toFixed(1)} s. Next: \`macfleet up\` without --until, and kubectl in another terminal.`,
    );
  } finally {
    life.abort();
    await fleet?.stop();
    if (choice?.kind === 'real-bash') await choice.rack.close();
    folder.dispose();
  }
};

const toWish = ({ macsAs: asked, macs, data }: UpFlags): MacWish => ({ asked, macs, isKept: data !== undefined });

interface Following {
  readonly flags: UpFlags;
  readonly fleet: Fleet;
  readonly logger: Logger;
  readonly say: (text: string) => void;
  /** Shows the newest table: in place on a terminal, below the last one elsewhere. */
  readonly draw: (table: string) => void;
}

/** Ten times a second is as much as a person sees; a large fleet changes a thousand times. */
const LOOK_EVERY_MS = 100;

/** Shows what happens until what was asked for is reached, or until the person stops it. */
const follow = async ({ flags, fleet, logger, say, draw }: Following, signal: AbortSignal): Promise<void> => {
  const watching = linkedController(signal);
  const clock = createSystemClock();
  const view = createFleetView({ client: fleet.client, clock, random: createSystemRandom(), logger });
  const running = view.run(watching.signal);
  const reached = Promise.withResolvers<void>();
  let shown = '';
  const look = (): void => {
    const table = `${renderTable(view.rows())}\nJob ${view.jobProgress()}, ${view.readyNodes()} Nodes ready\n`;
    if (table !== shown) draw(table);
    shown = table;
    if (isReached(view, flags)) reached.resolve();
  };
  let isDue = false;
  const lookSoon = (): void => {
    if (isDue) return;
    isDue = true;
    sleep(clock, LOOK_EVERY_MS, watching.signal).then(
      () => {
        isDue = false;
        look();
      },
      () => undefined,
    );
  };
  const stopLooking = view.onChange(lookSoon);
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
