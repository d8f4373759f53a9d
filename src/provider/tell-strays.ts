/** Tells people of servers that are astray: as a metric, in the log, and to the machine whose name such a server has. */
import type { Logger } from '../base/logger.ts';
import { MACHINES, type ScalewayAppleSiliconMachine } from '../kinds/machine.ts';
import type { Cache } from '../kube/cache/cache.ts';
import type { EventRecorder } from '../kube/controller/events.ts';
import type { RuntimeMetrics } from '../kube/manager/metrics.ts';
import { measureStrays } from './fleet-metrics.ts';
import type { OnStrays } from './host/inventory.ts';

export interface TellStraysParts {
  readonly ports: { readonly logger: Logger; readonly metrics?: RuntimeMetrics };
  readonly caches: { readonly machines: Cache<ScalewayAppleSiliconMachine> };
  readonly events: EventRecorder;
}

export const tellStrays = ({ ports, caches, events }: TellStraysParts): OnStrays => {
  const measure = ports.metrics === undefined ? undefined : measureStrays(ports.metrics.registry);
  return (zone, sightings) => {
    measure?.(zone, sightings);
    for (const { id, name, kind } of sightings.fresh) {
      ports.logger.warn('A server that nobody has on record, and that is not touched', {
        zone,
        server: id,
        name,
        kind,
      });
      const namesakes = caches.machines.list().filter(({ metadata }) => metadata.name === name);
      const message = `The server ${id} in ${zone} has the name of this machine, and is not its Mac: nothing is done to it. Rename it to a pool name to have it adopted`;
      for (const machine of namesakes)
        events.publish(MACHINES, machine, [{ type: 'Warning', reason: 'StrayServer', message }]);
    }
  };
};
