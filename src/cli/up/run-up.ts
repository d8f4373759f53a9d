/** The work behind `macfleet up`: starts the fleet, shows it, and stops it. Loaded only when the command runs. */
import { linkedController } from '../../base/abort.ts';
import { createSystemClock } from '../../base/clock.ts';
import { createIds } from '../../base/ids.ts';
import { createLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { openTriedRack } from '../../sim/mac/bash/try-sandbox.ts';
import { parseSimulation, renderSimulation } from '../../world/saved-simulation.ts';
import type { CliIo } from '../io.ts';
import { createRedraw } from '../redraw.ts';
import { chooseMacs, describeChoice, type MacChoice, type MacWish } from './choose-macs.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { openDataFolder } from './data-folder.ts';
import { showFleet } from './show-fleet.ts';
import { type Fleet, startFleet } from './start-fleet.ts';
import type { UpFlags } from './up-flags.ts';
import { refuseUnfit, renderHints, renderWork } from './up-work.ts';

/** Simulated clouds and Macs take minutes for what a person wants to see in seconds. */
const SPEED_UP = 100;
/** A poll is four requests to the API. */
const GUEST_SPEED_UP = 4;

export const runUp = async (flags: UpFlags, io: CliIo): Promise<void> => {
  refuseUnfit(flags);
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
        ...(flags.fleet === 'runners' ? { runners: { jobSpeedUp: SPEED_UP, guestSpeedUp: GUEST_SPEED_UP } } : {}),
      },
      life.signal,
    );
    if (saved !== undefined) say('Going on where the last run in this folder ended.');
    say(`API server ready at ${fleet.url} after ${Math.round(clock.elapsed() - startedMs)} ms`);
    say(`kubeconfig: ${folder.writeKubeconfig(fleet.kubeconfig)}`);
    say(`The simulated cloud runs ${SPEED_UP} times faster than life, and safety waits are as much shorter.`);
    if (choice !== undefined) say(describeChoice(choice));
    say('No real Mac and no real account is touched.\n');
    if (flags.until === undefined) say(renderHints(fleet.runners?.served.controlUrl));
    for (const demo of renderWork(flags)) await createOrIgnore(fleet.client, demo, life.signal);
    await showFleet({ flags, fleet, logger, say, draw: createRedraw(io) }, life.signal);
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
