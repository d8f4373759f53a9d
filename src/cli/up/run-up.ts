/** The work behind `macfleet up`: starts the fleet, shows it, and stops it. Loaded only when the command runs. */
import { linkedController } from '../../base/abort.ts';
import { createSystemClock } from '../../base/clock.ts';
import { createIds } from '../../base/ids.ts';
import { createLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import { openTriedRack } from '../../sim/mac/bash/try-sandbox.ts';
import { parseSimulation, renderSimulation } from '../../world/saved-simulation.ts';
import type { CliIo } from '../io.ts';
import { chooseMacs, describeChoice, type MacChoice } from './choose-macs.ts';
import { completeFlags } from './complete-flags.ts';
import { createOrIgnore } from './create-or-ignore.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { createDisplay, type Display } from './display.ts';
import { showFleet } from './show-fleet.ts';
import { type Fleet, type FleetOptions, startFleet } from './start-fleet.ts';
import { type GivenFlags, SPARE_MACS, type UpFlags } from './up-flags.ts';
import { renderHints, renderWork } from './up-work.ts';

/** A poll is four requests to the API. */
const GUEST_SPEED_UP = 4;

export const runUp = async (given: GivenFlags, io: CliIo): Promise<void> => {
  const flags = completeFlags(given, io.platform ?? 'linux');
  if (flags.chaos) {
    const { runChaosUp } = await import('./chaos/run-chaos-up.ts');
    await runChaosUp(flags, io);
    return;
  }
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const logger = createLogger({ clock, level: flags.log ? 'info' : 'error', destination: { write: io.stderr } });
  const display = createDisplay(io, flags.json ? 'json' : 'text', clock.now());
  const life = linkedController(io.signal);
  await using closing = new AsyncDisposableStack();
  const folder = openDataFolder(flags);
  closing.defer(() => folder.dispose());
  const { data: asData, macsAs: asked, machines: macs } = flags;
  const choice =
    flags.provider === 'here'
      ? await chooseMacs({ asked, macs, isKept: asData !== undefined }, () => openTriedRack(createIds(random)))
      : undefined;
  if (choice?.kind === 'real-bash') closing.defer(() => choice.rack.close());
  const deps = { clock, random, logger };
  const startedMs = clock.elapsed();
  const onListening = (url: string): void =>
    display.say(`API server ready at ${url} after ${Math.round(clock.elapsed() - startedMs)} ms`);
  const fleet = await startFleet({ ...deps, ...toOptions(flags, folder, choice), onListening }, life.signal);
  closing.defer(() => fleet.stop());
  closing.defer(() => life.abort());
  // Whoever reads where the kubeconfig is may use it at once: our kinds are there by now.
  introduce(display, { flags, folder, kubeconfig: folder.writeKubeconfig(fleet.kubeconfig), choice });
  await applyWork(fleet, flags, life.signal);
  const hints = renderHints({
    ...flags,
    kubeconfig: folder.kubeconfigFile,
    dispatchControl: fleet.runners?.served.controlUrl,
  });
  await showFleet({ ...deps, flags, fleet, display, hints }, life.signal);
  await closing.disposeAsync();
  display.say(describeRest(flags, (clock.elapsed() - startedMs) / 1_000));
};

const applyWork = async ({ client, storeFailure }: Fleet, flags: UpFlags, signal: AbortSignal): Promise<void> => {
  try {
    for (const demo of renderWork(flags)) await createOrIgnore(client, demo, signal);
  } catch (error) {
    throw storeFailure() ?? error;
  }
};

const toOptions = (
  { machines, port, provider, speed, fleet: fleets }: UpFlags,
  folder: DataFolder,
  choice: MacChoice | undefined,
): Omit<FleetOptions, 'clock' | 'random' | 'logger'> => {
  const { databaseFile } = folder;
  const saved = folder.readSimulation();
  return {
    ...{ macs: machines + SPARE_MACS, provider, fleets, speedUp: speed, agents: 'tart-kubelet' },
    port: port === 0 ? (folder.readPort() ?? 0) : port,
    ...(saved !== undefined && { saved: parseSimulation(saved) }),
    // What goes away with the process is not written down.
    ...(databaseFile !== undefined && {
      databaseFile,
      save: (simulation) => folder.writeSimulation(renderSimulation(simulation)),
    }),
    ...(choice?.kind === 'real-bash' && { rack: choice.rack }),
    ...(fleets.includes('runners') && { runners: { jobSpeedUp: speed, guestSpeedUp: GUEST_SPEED_UP } }),
  };
};

interface Introduction {
  readonly flags: UpFlags;
  readonly folder: DataFolder;
  readonly kubeconfig: string;
  readonly choice: MacChoice | undefined;
}

const introduce = (display: Display, { flags, folder, kubeconfig, choice }: Introduction): void => {
  if (folder.hasEarlierRun) display.say('Going on where the last run in this folder ended.');
  display.say(`kubeconfig: ${kubeconfig}`);
  display.say(`The simulated cloud runs ${flags.speed} times faster than life, and safety waits are as much shorter.`);
  if (choice !== undefined) display.say(describeChoice(choice));
  display.say('No real Mac and no real account is touched.');
  if (!flags.json) display.say('');
};

const describeRest = ({ data, until }: UpFlags, seconds: number): string => {
  const rest =
    data === undefined
      ? 'Nothing of it is left.'
      : `The fleet stays in ${data}: \`macfleet up --data ${data}\` goes on with it, --clean throws it away.`;
  const next = until === undefined ? '' : ' Next: `macfleet up` without --until, and kubectl in another terminal.';
  return `Stopped after ${seconds.toFixed(1)} s. ${rest}${next}`;
};
