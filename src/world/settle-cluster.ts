/**
 * Clusters that have come to rest before any fleet: the beginning that thousands of schedules share. What happens before is
 * the same in each of them, and costs more than an hour of theirs.
 */
import { START_WALL_MS } from '../sim/kernel/kernel.ts';
import type { SettledCluster } from './fleet-cluster.ts';
import { FOLDED_PACE } from './fleet-pace.ts';
import { createFleetWorld, type SettledClusters } from './fleet-world.ts';

const SETTLING_MS = 600_000;
const EVENTS_MAX = 10_000;

/** Always the same, so they are made once. The second has an authority and UIDs of its own. */
export const createSettledClusters = (namespace: string): (() => Promise<SettledClusters>) => {
  let made: Promise<SettledClusters> | undefined;
  const make = async (): Promise<SettledClusters> => ({
    first: await settleCluster('settled', namespace),
    second: await settleCluster('settled too', namespace),
  });
  return () => {
    made ??= make();
    return made;
  };
};

/** It ends at the time at which other worlds begin. */
const settleCluster = async (seed: string, namespace: string): Promise<SettledCluster> => {
  const { kernel, plane, authority } = createFleetWorld({
    ...{ seed, macs: 0, managers: [], traceLines: 0, pace: FOLDED_PACE, namespace },
    startWallMs: START_WALL_MS - SETTLING_MS,
  });
  await kernel.run({ maxEvents: EVENTS_MAX, maxVirtualMs: SETTLING_MS });
  return { backup: plane.backUp(), authority };
};
