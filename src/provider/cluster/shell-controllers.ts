/** The two shells that Cluster API core wants to see before it works with Machines: there is nothing to provision for them. */
import { CLUSTERS, parseCluster, type ScalewayAppleSiliconCluster } from '../../kinds/cluster.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import { CONTROL_PLANES, parseControlPlane, type ScalewayAppleSiliconControlPlane } from '../../kinds/control-plane.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import { type Controller, createController, watchPrimary } from '../../kube/controller/controller.ts';
import type { EventRecorder } from '../../kube/controller/events.ts';
import { reconcileLifecycle } from '../../kube/controller/lifecycle.ts';
import { done } from '../../kube/controller/outcome.ts';

export const createClusterController = (cache: Cache<ScalewayAppleSiliconCluster>, events: EventRecorder): Controller =>
  createController({
    name: `${CLUSTERS.plural}.shell`,
    watches: [watchPrimary(cache)],
    reconcile: reconcileLifecycle<ScalewayAppleSiliconCluster>({
      cache,
      events,
      read: parseCluster,
      up: [
        {
          name: 'provision',
          condition: CONDITIONS.cluster.ready,
          run: async () =>
            done<ScalewayAppleSiliconCluster>({
              status: { initialization: { provisioned: true }, ready: true },
              condition: {
                type: CONDITIONS.cluster.ready,
                status: 'True',
                reason: REASONS.cluster.ready.provisioned,
                message: '',
              },
            }),
        },
      ],
      down: [],
    }),
  });

export const createControlPlaneController = (
  cache: Cache<ScalewayAppleSiliconControlPlane>,
  events: EventRecorder,
): Controller =>
  createController({
    name: `${CONTROL_PLANES.plural}.shell`,
    watches: [watchPrimary(cache)],
    reconcile: reconcileLifecycle<ScalewayAppleSiliconControlPlane>({
      cache,
      events,
      read: parseControlPlane,
      up: [
        {
          name: 'initialize',
          condition: CONDITIONS.controlPlane.available,
          run: async () =>
            done<ScalewayAppleSiliconControlPlane>({
              status: { initialization: { controlPlaneInitialized: true }, externalManagedControlPlane: true },
              condition: {
                type: CONDITIONS.controlPlane.available,
                status: 'True',
                reason: REASONS.controlPlane.available.available,
                message: '',
              },
            }),
        },
      ],
      down: [],
    }),
  });
