/** One thing that somebody or something does to a simulated fleet. */
import { FleetError } from '../../../base/errors.ts';
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
  /** The agents that Macs must have for it; any unless said. */
  readonly needs?: 'tart-kubelet';
  /** Says what it did, or undefined when there was nothing to do it to. */
  readonly strike: (strike: Strike) => string | undefined;
}

/** Put on a machine by a person who strips its finalizers: such a machine leaves no word about its Mac. */
export const STRIPPED_BY_HAND = 'example.com/stripped-by-hand';

/** What the API refuses did not happen: the person who tried shrugs. Answers what was said, or why not. */
export const unlessRefused = <T>(act: () => T): T | string => {
  try {
    return act();
  } catch (error) {
    if (error instanceof FleetError && error.code === 'Refused') return `refused: ${error.message.slice(0, 200)}`;
    throw error;
  }
};
