/** The room of a fleet, and what a runner of each shape takes of it. Pure. */
import type { Node } from '../../kube/types/core.ts';
import { isInFleet, type RunnerShape, slotsOf, troubleOf } from '../fleet-nodes.ts';

export interface FleetRoom {
  /** Macs that take runners. */
  readonly macs: number;
  /** In Macs; undefined where no Mac holds one. */
  costOf(shape: RunnerShape): number | undefined;
}

/** The unit is one Mac: a shape of which the whole fleet holds n costs macs / n each, however Macs differ (R9). */
export const roomOf = (nodes: readonly Node[], fleet: string): FleetRoom => {
  const healthy = nodes.filter((node) => isInFleet(node, fleet) && troubleOf(node) === undefined);
  return {
    macs: healthy.length,
    costOf: (shape) => {
      const slots = healthy.reduce((sum, node) => sum + slotsOf(node, shape), 0);
      return slots === 0 ? undefined : healthy.length / slots;
    },
  };
};
