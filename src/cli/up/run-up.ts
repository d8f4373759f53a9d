/** The work behind `macfleet up`: starts the fleet, shows it, and stops it. Loaded only when the command runs. */
import { linkedController, throwIfAborted } from '../../base/abort.ts';
import { type Clock, createSystemClock } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import { createIds, type Ids } from '../../base/ids.ts';
import { createLogger } from '../../base/logger.ts';
import { createSystemRandom } from '../../base/random.ts';
import type { MacRack } from '../../sim/mac/bash/mac-rack.ts';
import { parseSimulation, renderSimulation } from '../../world/saved-simulation.ts';
import { openAuditLog } from '../control-plane/open-audit-log.ts';
import type { CliIo } from '../io.ts';
import { chooseMacs, describeChoice, type MacChoice } from './choose-macs.ts';
import { completeFlags } from './complete-flags.ts';
import { type DataFolder, holdsFleet, openDataFolder } from './data-folder.ts';
import { createDisplay, type Display } from './display.ts';
import type { FleetOptions } from './fleet-parts.ts';
import { type Showing, STOPPING, showFleet, stoppedBefore } from './show-fleet.ts';
import { startFleet } from './start-fleet.ts';
import { startKept } from './start-kept.ts';
import { type FleetName, type GivenFlags, SPARE_MACS, type UpFlags } from './up-flags.ts';

/** A poll is four requests to the API. Of many runners each polls more rarely: some other one is about to. */
const GUEST_SPEED_UP = 4;
const POLLED_FLEET = 24;

const guestSpeedUpOf = (machines: number): number => GUEST_SPEED_UP * Math.min(1, POLLED_FLEET / machines);

export const runUp = async (given: GivenFlags, io: CliIo): Promise<void> => {
  const flags = completeFlags(given, io.platform ?? 'linux');
  const clock = createSystemClock();
  const startedMs = clock.elapsed();
  const display = createDisplay(io, flags.json ? 'json' : 'text', clock.now());
  const sayRest = (next: string): void =>
    display.say(`Stopped after ${((clock.elapsed() - startedMs) / 1_000).toFixed(1)} s. ${describeRest(flags)}${next}`);
  try {
    await (flags.chaos ? runChaos(flags, io) : runUntilStopped({ flags, io, clock, display }));
  } catch (error) {
    // Whoever stopped it wants to know what is left, however far it had got.
    if (!isStop(error, io.signal)) throw error;
    sayRest('');
    if (flags.until !== undefined || flags.chaos) throw error;
    return;
  }
  // Chaos ends with its verdict.
  if (flags.chaos) return;
  sayRest(flags.until === undefined ? '' : ' Next: `macfleet up` without --until, and kubectl in another terminal.');
};

const runChaos = async (flags: UpFlags, io: CliIo): Promise<void> => {
  const { runChaosUp } = await import('./chaos/run-chaos-up.ts');
  await runChaosUp(flags, io);
};

const isStop = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted && toFleetError(error).kind === 'cancelled';

interface Run {
  readonly flags: UpFlags;
  readonly io: CliIo;
  readonly clock: Clock;
  readonly display: Display;
}

/** When it settles, all of it has stopped. Rejects with `cancelled` when that was before what was asked for, or before it was shown. */
const runUntilStopped = async (run: Run): Promise<void> => {
  await using closing = new AsyncDisposableStack();
  const life = linkedController(run.io.signal);
  const showing = await startShown(run, closing, life.signal).catch((error: unknown) => {
    throw isStop(error, run.io.signal) ? tellEarlyStop(error, run) : error;
  });
  closing.defer(() => life.abort());
  await showFleet(showing, life.signal);
};

/** As it is told of a fleet that is shown already. */
const tellEarlyStop = (error: unknown, { flags: { until }, display }: Run): unknown => {
  if (until !== undefined) return stoppedBefore(until);
  display.say(STOPPING);
  return error;
};

/** Starts all of it, and gives it its work. What has to be closed is on the stack as soon as it is there. */
const startShown = async (
  { flags, io, clock, display }: Run,
  closing: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Showing> => {
  // Not even --clean has done anything then.
  throwIfAborted(signal);
  const random = createSystemRandom();
  const logger = createLogger({ clock, level: flags.log ? 'info' : 'error', destination: { write: io.stderr } });
  const audit = await openAuditLog(flags, display.say);
  closing.defer(audit.close);
  const folder = openDataFolder(flags);
  closing.defer(() => folder.dispose());
  const { data: asData, macsAs: asked, machines: macs } = flags;
  const choice =
    flags.provider === 'here'
      ? await chooseMacs({ asked, macs, isKept: asData !== undefined }, () => openRack(createIds(random)))
      : undefined;
  if (choice?.kind === 'real-bash') closing.defer(() => choice.rack.close());
  const deps = { clock, random, logger };
  const [startedMs, startedAtMs] = [clock.elapsed(), clock.now()];
  const onListening = (url: string): void =>
    display.say(`API server ready at ${url} after ${Math.round(clock.elapsed() - startedMs)} ms`);
  const { auditLog } = audit;
  const options = { ...deps, ...toOptions(flags, folder, choice), onListening, ...(auditLog && { auditLog }) };
  const fleet = await startKept({
    ...{ port: flags.port, lastPort: folder.readPort(), data: flags.data, say: display.say },
    start: (port) => startFleet({ ...options, port }, signal),
  });
  closing.defer(() => fleet.stop());
  // Whoever reads where the kubeconfig is may use it at once: our kinds are there by now.
  introduce(display, { flags, folder, kubeconfig: folder.writeKubeconfig(fleet.kubeconfig), choice });
  const isKept = folder.hasEarlierRun;
  const [{ applyWork }, { renderHints }] = await Promise.all([import('./apply-work.ts'), import('./up-work.ts')]);
  try {
    await applyWork({ client: fleet.client, flags, isKept, say: display.say }, signal);
  } catch (error) {
    throw fleet.storeFailure() ?? error;
  }
  const hints = renderHints({
    ...flags,
    kubeconfig: folder.kubeconfigFile,
    isKept,
    dispatchControl: fleet.runners?.served.controlUrl,
  });
  return { ...deps, flags, fleet, display, hints, ...(isKept && { heardSinceMs: startedAtMs }) };
};

const toOptions = (
  { machines, provider, speed, fleet: fleets }: UpFlags,
  folder: DataFolder,
  choice: MacChoice | undefined,
): Omit<FleetOptions, 'clock' | 'random' | 'logger' | 'port'> => {
  const { databaseFile } = folder;
  const text = folder.readSimulation();
  const saved = text === undefined ? undefined : parseSimulation(text);
  // Those of a kept fleet stay, however few are asked for.
  const macs = Math.max(machines + SPARE_MACS, saved?.cloud.servers.length ?? 0);
  return {
    ...{ macs, provider, fleets, speedUp: speed, agents: 'tart-kubelet' },
    ...(saved !== undefined && { saved }),
    // What goes away with the process is not written down.
    ...(databaseFile !== undefined && {
      databaseFile,
      save: (simulation) => folder.writeSimulation(renderSimulation(simulation)),
    }),
    ...(choice?.kind === 'real-bash' && { rack: choice.rack }),
    ...(fleets.includes('runners') && {
      runners: { jobSpeedUp: speed, guestSpeedUp: guestSpeedUpOf(macs - SPARE_MACS) },
    }),
  };
};

/** From here on the deadlines of a bootstrap grow with it (src/world/simulated-times.ts). */
const LARGE_FLEET = 100;

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
  if (flags.machines > LARGE_FLEET)
    display.say('What this process takes itself is not: so many Macs are given longer until they have to be Nodes.');
  if (choice !== undefined) display.say(describeChoice(choice));
  display.say('No real Mac and no real account is touched.');
  if (!flags.json) display.say('');
};

/** What has to be typed again to go on with the very same. */
const renderGoOn = (data: string, fleet: readonly FleetName[]): string =>
  `macfleet up --data ${data}${fleet.join() === 'macos,runners' ? '' : ` --fleet ${fleet.join()}`}`;

/** Looked at, not remembered: it may have been stopped before it had made anything, or before it looked into the folder. */
const describeRest = ({ data, fleet }: UpFlags): string =>
  data === undefined || !holdsFleet(data)
    ? 'Nothing of it is left.'
    : `The fleet stays in ${data}: \`${renderGoOn(data, fleet)}\` goes on with it, --clean throws it away.`;

const openRack = async (ids: Ids): Promise<MacRack> => {
  const { openTriedRack } = await import('../../sim/mac/bash/try-sandbox.ts');
  return openTriedRack(ids);
};
