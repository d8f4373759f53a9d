/** All controllers of the embedded control plane in one process: they share one cache per kind. */
import { createCapiControllers } from './capi/capi-controllers.ts';
import { createMachineCaches } from './capi/machine-caches.ts';
import type { OpenRemote } from './capi/remote/remote-clusters.ts';
import { createClusterCaches, followAllKinds } from './core/cluster-caches.ts';
import type { ControllerSet } from './core/controller-set.ts';
import { type CoreControllerDeps, createCoreControllers } from './core/core-controllers.ts';

export interface EmbeddedControllerDeps extends Omit<CoreControllerDeps, 'shared'> {
  readonly openRemote: OpenRemote;
}

export const createEmbeddedControllers = ({ openRemote, ...options }: EmbeddedControllerDeps): ControllerSet => {
  const { client, clientFor, clock, random, logger, ids } = options;
  const deps = { client, clock, random, logger };
  const cluster = createClusterCaches(deps);
  const machine = createMachineCaches(deps);
  const known = [...Object.values(cluster), ...Object.values(machine)];
  const kinds = followAllKinds(deps, { known, definitions: cluster.definitions });
  const core = createCoreControllers({ ...options, shared: { cluster, kinds } });
  const capi = createCapiControllers({
    ...{ ...deps, ids, openRemote, shared: { cluster, machine, kinds } },
    ...(clientFor !== undefined && { clientFor }),
    ...(options.pace && { pace: options.pace }),
  });
  return {
    caches: [...known, kinds, ...core.caches, ...capi.caches],
    controllers: [...core.controllers, ...capi.controllers],
    events: {
      flush: async () => {
        await Promise.all([core.events.flush(), capi.events.flush()]);
      },
    },
  };
};
