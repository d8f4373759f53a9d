/** Ends what people and processes did; what is broken for good (a Mac, a server that somebody renamed) stays so. */
import { FleetError } from '../../base/errors.ts';
import { MAC_HOSTS } from '../../kinds/mac-host.ts';
import { FAULT_IDS } from '../../sim/cloud/faults.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { unpauseAll } from './disturbances/users.ts';
import type { SwarmProfile } from './swarm-profile.ts';

/** Faults of a server that nobody mends: what was asked of it stays asked. */
const STAY = ['F20', 'F21', 'F21b', 'F23', 'F30', 'F10'];

export const endTrouble = (world: FleetWorld, { managers }: SwarmProfile): void => {
  const { kernel, cloud, operator } = world;
  kernel.setFaults('off');
  for (const fault of FAULT_IDS) if (!STAY.includes(fault)) cloud.switchOff(fault);
  for (const name of managers) kernel.setSkew(name, 0);
  attempt(() => unpauseAll(world));
  for (const { metadata, spec } of operator.list(MAC_HOSTS)) {
    if (spec.hold?.reason === 'Investigating')
      attempt(() => operator.merge(MAC_HOSTS, metadata.name, { spec: { hold: null } }));
  }
};

/** What the API refuses stays as it is. */
const attempt = (act: () => void): void => {
  try {
    act();
  } catch (error) {
    if (!(error instanceof FleetError) || error.code !== 'Refused') throw error;
  }
};
