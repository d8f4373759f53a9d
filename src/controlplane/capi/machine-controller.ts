/**
 * Machines, in the shape of Cluster API core (v1beta2): infrastructure, then a Node bound to it; on deletion the
 * infrastructure, then the Node, with hooks and a drain before (machine-deletion.ts). Not here: volumes, bootstrap
 * providers, health checks, drain rules.
 */

import type { Change } from '../../kube/cache/object-store.ts';
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done } from '../../kube/controller/outcome.ts';
import type { Node } from '../../kube/types/core.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { SchedulablePod } from '../core/scheduling/schedulable.ts';
import { type CoreView, clusterKeyOf, notPaused, pauseGate, watchClusterOf } from './core-view.ts';
import {
  awaitInfrastructure,
  awaitPreDrainHooks,
  awaitPreTerminateHooks,
  deleteNode,
  notDeleting,
} from './machine-deletion.ts';
import { drainNode } from './machine-drain.ts';
import { ensureInfrastructure, followInfrastructure } from './machine-infrastructure.ts';
import { CORE_FINALIZERS, type Machine } from './machine-kinds.ts';
import { bindNode, judgeAvailability, judgeNode, judgeUpToDate, notUpdating } from './machine-node.ts';

export const createMachineController = (view: CoreView): Controller => {
  const { machines, nodes, clusters } = view;
  const keysOf = (objects: readonly KubeObject[]): readonly string[] =>
    objects.map((object) => renderKey(keyOf(object)));
  const drainedBy = ({ spec }: SchedulablePod): readonly string[] =>
    spec.nodeName === undefined ? [] : keysOf(machines.byIndex('node', spec.nodeName).filter(isDeleting));
  return createController({
    name: 'machines',
    watches: [
      watchPrimary(machines),
      watchMapped(nodes, (change) =>
        providerIdsOf(change).flatMap((providerId) => keysOf(machines.byIndex('providerID', providerId))),
      ),
      // A drain waits for Pods to go, or for a budget that lets them.
      watchMapped(view.pods, (change) => drainedBy(change.type === 'deleted' ? change.old : change.object)),
      watchMapped(view.budgets, () => keysOf(machines.list().filter(isDeleting))),
      // A new template makes Machines of the older ones outdated.
      watchMapped(view.machineDeployments, (change) =>
        change.type === 'updated' && change.old.metadata.generation !== change.object.metadata.generation
          ? keysOf(machines.byIndex('cluster', clusterKeyOf(change.object)))
          : [],
      ),
      watchClusterOf(view, machines),
    ],
    reconcile: reconcileLifecycle<Machine>({
      cache: machines,
      events: view.events,
      finalizer: CORE_FINALIZERS.machine,
      gate: pauseGate((machine) => clusters.get(clusterKeyOf(machine))),
      up: [
        notPaused(),
        notDeleting,
        checkBootstrap,
        ensureInfrastructure(view),
        bindNode(view),
        notUpdating,
        judgeUpToDate(view),
        judgeNode(view),
        judgeAvailability,
      ],
      down: [
        notPaused(),
        followInfrastructure(view),
        judgeNode(view),
        awaitPreDrainHooks(view),
        drainNode(view),
        awaitPreTerminateHooks,
        awaitInfrastructure(view),
        deleteNode(view),
      ],
      summary: { type: 'Ready', of: ['BootstrapConfigReady', 'InfrastructureReady', 'NodeHealthy'] },
    }),
  });
};

const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

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
