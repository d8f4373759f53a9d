/**
 * Machines, in the shape of Cluster API core (v1beta2): infrastructure, then a Node bound to it; on deletion the
 * infrastructure, then the Node, with hooks and a drain before (machine-deletion.ts). Not here: volumes, bootstrap
 * providers, health checks, drain rules.
 */
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done } from '../../kube/controller/outcome.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
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
  const { machines } = view;
  const keysOf = (objects: readonly KubeObject[]): readonly string[] =>
    objects.map((object) => renderKey(keyOf(object)));
  const reconcile = reconcileMachine(view);
  return createController({
    name: 'machines',
    watches: [
      watchPrimary(machines),
      // A new template makes Machines of the older ones outdated.
      watchMapped(view.machineDeployments, (change) =>
        change.type === 'updated' && change.old.metadata.generation !== change.object.metadata.generation
          ? keysOf(machines.byIndex('cluster', clusterKeyOf(change.object)))
          : [],
      ),
      watchClusterOf(view, machines),
    ],
    // Nobody is judged by a Node from before our own last write to it.
    reconcile: async (context) => {
      const machine = machines.get(context.key);
      const remote = machine === undefined ? undefined : view.remotes.look(clusterKeyOf(machine)).remote;
      return remote?.isClear(context.key) === false ? { next: 'held-back' } : reconcile(context);
    },
  });
};

const reconcileMachine = (view: CoreView): ReturnType<typeof reconcileLifecycle<Machine>> =>
  reconcileLifecycle<Machine>({
    cache: view.machines,
    events: view.events,
    finalizer: CORE_FINALIZERS.machine,
    gate: pauseGate((machine) => view.clusters.get(clusterKeyOf(machine))),
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
  });

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
        reason: isGiven ? 'DataSecretProvided' : 'ObjectDoesNotExist',
        message: isGiven ? '' : 'spec.bootstrap.dataSecretName is not set',
      },
    });
  },
};
