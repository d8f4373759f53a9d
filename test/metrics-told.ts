/** The metrics that our processes tell of, whether or not anything has happened yet. */
import Registry from 'prom-client/lib/registry.js';
import { createManualClock } from '../src/base/testing/manual-clock.ts';
import { createRuntimeMetrics } from '../src/kube/manager/metrics.ts';
import { measureFleet, measureStrays } from '../src/provider/fleet-metrics.ts';
import { measurePools, measureScaling } from '../src/runners/runner-metrics.ts';
import { createCloudMetrics } from '../src/scaleway/adapter/cloud-metrics.ts';

/** Everything a manager tells of. */
export const openManagerRegistry = (): Registry => {
  const registry = new Registry();
  const metrics = createRuntimeMetrics(registry);
  metrics.controller('any');
  createCloudMetrics(registry);
  measureStrays(registry);
  const nobody = { subscribe: () => () => undefined };
  measureFleet(registry, { machines: nobody, hosts: nobody } as never);
  return registry;
};

/** Everything a runners controller tells of, besides what both do. */
export const openRunnersRegistry = (): Registry => {
  const registry = new Registry();
  measureScaling(registry);
  measurePools(registry, {} as never, createManualClock());
  return registry;
};
