/** One thing that somebody or something does to a simulated fleet. */
import type { FleetWorld } from '../../fleet-world.ts';

/** Where a disturbance strikes. */
export interface Strike {
  readonly world: FleetWorld;
  readonly managers: readonly string[];
  /** A recorded decision in [0, bound); 0 is the dull one. */
  readonly choose: (bound: number) => number;
}

export interface Disturbance {
  readonly id: string;
  /** Says what it did, or undefined when there was nothing to do it to. */
  readonly strike: (strike: Strike) => string | undefined;
}
