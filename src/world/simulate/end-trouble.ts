/** Ends what people and processes did; what is broken for good (a Mac, a server that somebody renamed) stays so. */
import { MAC_HOSTS } from '../../kinds/mac-host.ts';
import { FAULT_IDS } from '../../sim/cloud/faults.ts';
import type { FleetWorld } from '../fleet-world.ts';
import { bringBackDefinitions, bringBackNamespace, repairMachines } from './disturbances/administrators.ts';
import { endTartTrouble } from './disturbances/agents.ts';
import { unlessRefused } from './disturbances/disturbance.ts';
import { unpauseAll } from './disturbances/users.ts';
import type { SwarmProfile } from './swarm-profile.ts';

/** Faults of a server that nobody mends: what was asked of it stays asked. */
const STAY = ['F20', 'F21', 'F21b', 'F23', 'F30', 'F10', 'F06', 'F07', 'F07b'];

export const endTrouble = (world: FleetWorld, { managers }: SwarmProfile): void => {
  const { kernel, cloud, operator } = world;
  world.trouble.isOver = true;
  kernel.setFaults('off');
  for (const fault of FAULT_IDS) if (!STAY.includes(fault)) cloud.switchOff(fault);
  for (const name of managers) kernel.setSkew(name, 0);
  for (const mac of world.kubelets?.macs().values() ?? []) endTartTrouble(mac);
  world.apiTrouble.end();
  world.second?.apiTrouble.end();
  unlessRefused(() => bringBackDefinitions(world));
  unlessRefused(() => bringBackNamespace(world));
  unlessRefused(() => repairMachines(world));
  for (const { operator: person } of [world, ...(world.second === undefined ? [] : [world.second])])
    unlessRefused(() => unpauseAll({ operator: person }));
  unlessRefused(() => {
    for (const { metadata, spec } of operator.list(MAC_HOSTS))
      if (spec.hold?.reason === 'Investigating')
        unlessRefused(() => operator.merge(MAC_HOSTS, metadata.name, { spec: { hold: null } }));
  });
};
