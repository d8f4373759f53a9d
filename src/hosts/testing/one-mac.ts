/** A simulated project with one step-level Mac, on which nothing takes time; and what a test asks of errors. */
import { FleetError, toFleetError } from '../../base/errors.ts';
import { createSeededRandom } from '../../base/random.ts';
import type { Secret } from '../../base/secret.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createSimCloud } from '../../sim/cloud/sim-cloud.ts';
import { createSimMacs } from '../../sim/mac/sim-macs.ts';

/** The agent that a bootstrap starts there does nothing. */
export const createOneMac = (fleetKey: Secret<string>) => {
  const clock = createManualClock();
  const cloud = createSimCloud({ clock, random: createSeededRandom(3) });
  const server = cloud.addServer({ name: 'pool-a' });
  const startAgent = (): (() => void) => () => undefined;
  const macs = createSimMacs({ cloud, clock, fleetKey, random: createSeededRandom(4), timeScale: 0, startAgent });
  return { clock, cloud, server, hosts: macs.hosts, mac: macs.mac(server.id) };
};

/** What the work is rejected with. */
export const errorOf = async (work: Promise<unknown>): Promise<FleetError> => {
  try {
    await work;
  } catch (error) {
    return toFleetError(error);
  }
  throw new FleetError('bug', { code: 'NothingThrown', message: 'nothing was thrown' });
};
