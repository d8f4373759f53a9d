/** How many Macs each fleet gets: as evenly as it goes, the first ones more. Pure. */
import type { FleetName } from './up-flags.ts';

export type FleetSizes = Readonly<Partial<Record<FleetName, number>>>;

export const shareMachines = (machines: number, fleets: readonly FleetName[]): FleetSizes =>
  Object.fromEntries(
    fleets.map((fleet, at) => [fleet, Math.floor((machines + fleets.length - 1 - at) / fleets.length)]),
  );
