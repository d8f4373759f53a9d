/**
 * A cluster that has come to rest before any fleet: the beginning that thousands of schedules share. What happens before is
 * the same in each of them, and costs more than an hour of theirs.
 */
import { START_WALL_MS } from '../sim/kernel/kernel.ts';
import type { SettledCluster } from './fleet-cluster.ts';
import { FOLDED_PACE } from './fleet-pace.ts';
import { createFleetWorld } from './fleet-world.ts';

const SETTLING_MS = 600_000;
const EVENTS_MAX = 10_000;

/** Always the same, so it is made once. */
export const createSettledCluster = (namespace: string): (() => Promise<SettledCluster>) => {
  let made: Promise<SettledCluster> | undefined;
  return () => {
    made ??= settleCluster(namespace);
    return made;
  };
};

/** It ends at the time at which other worlds begin. */
const settleCluster = async (namespace: string): Promise<SettledCluster> => {
  const { kernel, plane, authority } = createFleetWorld({
    ...{ seed: 'settled', macs: 0, managers: [], traceLines: 0, pace: FOLDED_PACE, namespace },
    startWallMs: START_WALL_MS - SETTLING_MS,
  });
  await kernel.run({ maxEvents: EVENTS_MAX, maxVirtualMs: SETTLING_MS });
  return { backup: plane.backUp(), authority };
};
