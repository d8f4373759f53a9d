/** The fleet that simulated people ask for: a cluster and Macs that join it, without work to run on them. */
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { renderDemo } from '../demo-fleet.ts';
import type { FleetWorld } from '../fleet-world.ts';

export const startFleet = (
  { operator, namespace }: Pick<FleetWorld, 'operator' | 'namespace'>,
  machines: number,
): void => {
  for (const { resource, object } of renderDemo(machines)) {
    if (resource === JOBS) continue;
    operator.apply({ resource, object: { ...object, metadata: { ...object.metadata, namespace } } });
  }
};
