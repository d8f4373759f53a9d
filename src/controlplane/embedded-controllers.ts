/** All controllers of the embedded control plane in one process: they share one cache per kind. */
import { createCapiControllers } from './capi/capi-controllers.ts';
import { createMachineCaches } from './capi/machine-caches.ts';
import { createClusterCaches, followAllKinds } from './core/cluster-caches.ts';
import type { ControllerSet } from './core/controller-set.ts';
import { type CoreControllerDeps, createCoreControllers } from './core/core-controllers.ts';

export const createEmbeddedControllers = (options: Omit<CoreControllerDeps, 'shared'>): ControllerSet => {
  const { client, clock, random, logger } = options;
  const deps = { client, clock, random, logger };
  const cluster = createClusterCaches(deps);
  const machine = createMachineCaches(deps);
  const known = [...Object.values(cluster), ...Object.values(machine)];
  const kinds = followAllKinds(deps, { known, definitions: cluster.definitions });
  const core = createCoreControllers({ ...options, shared: { cluster, kinds } });
  const capi = createCapiControllers({ ...deps, ids: options.ids, shared: { cluster, machine, kinds } });
  return {
    caches: [...known, kinds, ...core.caches],
    controllers: [...core.controllers, ...capi.controllers],
    events: {
      publish: core.events.publish,
      flush: async () => {
        await Promise.all([core.events.flush(), capi.events.flush()]);
      },
    },
  };
};
