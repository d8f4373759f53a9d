/** The number of runners for one pool, among its siblings on the fleet. Pure; what cannot be known leads to its own wish. */
import type { ScalingSignals } from '../../dispatch/port/dispatcher.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import { allocate, type Claimant } from './allocate.ts';
import { desiredReplicas, loadOf } from './desired.ts';
import type { FleetRoom } from './fleet-room.ts';

export interface PoolSignals {
  readonly pool: RunnerPool;
  readonly signals: ScalingSignals;
}

export interface Target {
  /** What it would have if it were alone. */
  readonly wanted: number;
  /** What it gets. */
  readonly allocated: number;
}

/** Pools that scale by themselves on the same Macs. */
export const isSibling = (pool: RunnerPool, other: RunnerPool): boolean =>
  other.spec.os === pool.spec.os &&
  other.spec.fleetSelector === pool.spec.fleetSelector &&
  other.spec.autoscaling.enabled &&
  other.spec.autoscaling.maxReplicas > 0 &&
  other.metadata.deletionTimestamp === undefined;

/** `siblings` are all of the fleet, itself among them; undefined when those of one could not be learned. */
export const chooseTarget = (
  own: PoolSignals,
  siblings: readonly PoolSignals[] | undefined,
  room: FleetRoom,
): Target => {
  const wanted = desiredReplicas(own.signals, boundsOf(own.pool));
  const claimants = siblings?.map((sibling) => claimOf(sibling, room));
  // No Mac at all is nearly always a blip, and must not send warm runners home.
  if (own.pool.spec.autoscaling.maxReplicas <= 0 || room.macs === 0 || claimants === undefined)
    return { wanted, allocated: wanted };
  const known = claimants.filter((claimant) => claimant !== undefined);
  if (known.length !== claimants.length) return { wanted, allocated: wanted };
  return { wanted, allocated: allocate(known, room.macs).get(own.pool.metadata.name) ?? wanted };
};

const boundsOf = ({ spec: { autoscaling } }: RunnerPool) => ({
  floor: autoscaling.minWarmPoolFloor,
  max: autoscaling.maxReplicas,
});

const claimOf = ({ pool, signals }: PoolSignals, room: FleetRoom): Claimant | undefined => {
  const cost = room.costOf(pool.spec);
  if (cost === undefined) return undefined;
  const bounds = boundsOf(pool);
  const target = desiredReplicas(signals, bounds);
  return { name: pool.metadata.name, target, load: loadOf(signals), floor: bounds.floor, cost };
};
