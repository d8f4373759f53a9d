/** The work behind `macfleet up --chaos`: a fleet with managers that are killed, shown, judged and stopped. */
import { linkedController } from '../../../base/abort.ts';
import { createSystemClock } from '../../../base/clock.ts';
import { createLogger } from '../../../base/logger.ts';
import { createSystemRandom } from '../../../base/random.ts';
import { openAuditLog } from '../../control-plane/open-audit-log.ts';
import type { CliIo } from '../../io.ts';
import { createOrIgnore } from '../create-or-ignore.ts';
import { openDataFolder } from '../data-folder.ts';
import { createDisplay } from '../display.ts';
import { startFleet } from '../start-fleet.ts';
import { SPARE_MACS, type UpFlags } from '../up-flags.ts';
import { renderWork } from '../up-work.ts';
import { type ChaosRig, createChaosProvider } from './chaos-provider.ts';
import { assertGood, compareWithOriginal, showChaos } from './show-chaos.ts';

const SEEDS = 1_000_000;
const GUEST_SPEED_UP = 4;

export const runChaosUp = async (flags: UpFlags, io: CliIo): Promise<void> => {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const seed = flags.seed ?? random.integer(SEEDS);
  const logger = createLogger({ clock, level: flags.log ? 'info' : 'error', destination: { write: io.stderr } });
  const display = createDisplay(io, flags.json ? 'json' : 'text', clock.now());
  const life = linkedController(io.signal);
  await using closing = new AsyncDisposableStack();
  const { auditLog, close: closeAudit } = await openAuditLog(flags, display.say);
  closing.defer(closeAudit);
  const folder = openDataFolder({ clean: false });
  closing.defer(() => folder.dispose());
  const deps = { clock, random, logger };
  const { machines, fleet: fleets, speed: speedUp } = flags;
  const ready = Promise.withResolvers<ChaosRig>();
  const provider = createChaosProvider({
    ...{ ...deps, fleets, speedUp, macs: machines + SPARE_MACS, folder: folder.path, env: io.env },
    onLine: (name, line) => (flags.log ? io.stderr(`${name} ${line}\n`) : undefined),
    onReady: ready.resolve,
  });
  const fleet = await startFleet(
    {
      ...{ ...deps, macs: machines + SPARE_MACS, port: flags.port, provider, fleets, speedUp },
      ...(auditLog && { auditLog }),
      ...(fleets.includes('runners') && { runners: { jobSpeedUp: speedUp, guestSpeedUp: GUEST_SPEED_UP } }),
    },
    life.signal,
  );
  closing.defer(() => fleet.stop());
  closing.defer(() => life.abort());
  display.say(`API server ready at ${fleet.url}; kubeconfig: ${folder.writeKubeconfig(fleet.kubeconfig)}`);
  display.say(
    `${flags.for / 1_000} s of chaos with seed ${seed}: two managers are processes, and the one that leads is killed again and again (kill -9).`,
  );
  display.say(
    `The simulated cloud runs ${speedUp} times faster than life. No real Mac and no real account is touched.`,
  );
  for (const demo of renderWork(flags)) await createOrIgnore(fleet.client, demo, life.signal);
  const rig = await ready.promise;
  const ordeal = await showChaos({ ...deps, flags, fleet, display, hints: '', rig, seed }, life.signal);
  // Nothing else may run in a process whose clock is virtual.
  await closing.disposeAsync();
  if (flags.compare) display.say(await compareWithOriginal(ordeal, flags, seed));
  assertGood(ordeal, seed);
};
