/** The fleet that simulated people ask for: a cluster and Macs that join it, without work to run on them. */
import { JOBS } from '../../controlplane/core/workloads/job.ts';
import { renderDemo } from '../demo-fleet.ts';
import type { FleetWorld } from '../fleet-world.ts';

export const startFleet = ({ operator }: FleetWorld, machines: number): void => {
  for (const demo of renderDemo(machines)) if (demo.resource !== JOBS) operator.apply(demo);
};
