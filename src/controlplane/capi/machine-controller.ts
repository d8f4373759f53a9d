/**
 * Machines, in the shape of Cluster API core (v1beta2): infrastructure, then a Node bound to it; on deletion the
 * infrastructure, then the Node. Not here: draining and its hooks, volumes, bootstrap providers, health checks.
 */

import type { Change } from '../../kube/cache/object-store.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done } from '../../kube/controller/outcome.ts';
import type { Node } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import { type CoreView, clusterKeyOf, notPaused, pauseGate, watchClusterOf } from './core-view.ts';
import { deleteInfrastructure, ensureInfrastructure } from './machine-infrastructure.ts';
import { CORE_FINALIZERS, type Machine } from './machine-kinds.ts';
import { bindNode, deleteNode, judgeAvailability, judgeNode } from './machine-node.ts';

export const createMachineController = (view: CoreView): Controller => {
  const { machines, nodes, clusters } = view;
  const keysOf = (objects: readonly KubeObject[]): readonly string[] =>
    objects.map((object) => renderKey(keyOf(object)));
  return createController({
    name: 'machines',
    watches: [
      watchPrimary(machines),
      watchMapped(nodes, (change) =>
        providerIdsOf(change).flatMap((providerId) => keysOf(machines.byIndex('providerID', providerId))),
      ),
      watchClusterOf(view, machines),
    ],
    reconcile: reconcileLifecycle<Machine>({
      cache: machines,
      events: view.events,
      finalizer: CORE_FINALIZERS.machine,
      gate: pauseGate((machine) => clusters.get(clusterKeyOf(machine))),
      up: [notPaused(), checkBootstrap, ensureInfrastructure(view), bindNode(view), judgeNode(view), judgeAvailability],
      down: [notPaused(), deleteInfrastructure(view), deleteNode(view)],
      summary: { type: 'Ready', of: ['BootstrapConfigReady', 'InfrastructureReady', 'NodeHealthy'] },
    }),
  });
};

const providerIdsOf = (change: Change<Node>): readonly string[] => {
  const before = change.type === 'added' ? undefined : change.old.spec?.providerID;
  const after = change.type === 'deleted' ? undefined : change.object.spec?.providerID;
  return [...new Set([before, after])].flatMap((providerId) => providerId ?? []);
};

/** Core does not look whether the Secret exists: that is the provider's business. */
const checkBootstrap: Step<Machine> = {
  name: 'bootstrap',
  condition: 'BootstrapConfigReady',
  run: async ({ spec }) => {
    const isGiven = spec.bootstrap.dataSecretName !== undefined;
    return done({
      condition: {
        type: 'BootstrapConfigReady',
        status: isGiven ? 'True' : 'False',
        reason: isGiven ? 'DataSecretProvided' : 'DoesNotExist',
        message: isGiven ? '' : 'spec.bootstrap.dataSecretName is not set',
      },
    });
  },
};
