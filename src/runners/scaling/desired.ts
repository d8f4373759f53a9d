/** How many runners a pool should have by its own load (§3.10). Pure. */
import type { ScalingSignals } from '../../dispatch/port/dispatcher.ts';

export interface ScaleBounds {
  readonly floor: number;
  readonly max: number;
}

/**
 * What is to be done now. Work that waits for a limit of its account counts as one runner: without any, a pool whose only
 * work waits would never get the one that could claim it (§7-38).
 */
export const loadOf = ({ claimed, occupied, queued, withheld }: ScalingSignals): number =>
  Math.max(occupied, claimed) + queued + (withheld > 0 ? 1 : 0);

/** The floor comes on top of what is to be done, once (§7-33). A maximum of 0 means none at all. */
export const desiredReplicas = (signals: ScalingSignals, { floor, max }: ScaleBounds): number =>
  max <= 0 ? 0 : Math.min(Math.max(loadOf(signals), signals.p95) + floor, max);
