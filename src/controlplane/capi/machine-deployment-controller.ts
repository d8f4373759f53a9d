/** MachineDeployments: a MachineSet per template, and Machines moved from one to the next. Planned in plan-machine-deployment.ts. */
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { keyOf } from '../../kube/types/meta.ts';
import { controllerKeyOf } from '../core/owner-references.ts';
import { removeAll } from './awaited-end.ts';
import { type CoreView, clusterKeyOf, notPaused, pauseGate, watchClusterOf } from './core-view.ts';
import { CORE_FINALIZERS, type MachineDeployment, type MachineSet } from './machine-kinds.ts';
import { planMachineDeployment, sumReplicas } from './plan-machine-deployment.ts';
import { type ReplicaCounts, replicasOf } from './plan-machine-set.ts';

const { machineSets: MACHINE_SETS, machineDeployments: MACHINE_DEPLOYMENTS } = CLUSTER_API_RESOURCES;
const CONDITION = 'Available';

export const createMachineDeploymentController = (view: CoreView): Controller =>
  createController({
    name: 'machinedeployments',
    watches: [
      watchPrimary(view.machineDeployments),
      watchMapped(view.machineSets, (change) =>
        controllerKeyOf(MACHINE_DEPLOYMENTS, change.type === 'deleted' ? change.old : change.object),
      ),
      watchClusterOf(view, view.machineDeployments),
    ],
    reconcile: reconcileLifecycle<MachineDeployment>({
      cache: view.machineDeployments,
      events: view.events,
      finalizer: CORE_FINALIZERS.machineDeployment,
      gate: pauseGate((deployment) => view.clusters.get(clusterKeyOf(deployment))),
      up: [notPaused(), rollOut(view)],
      down: [notPaused(), removeSets(view)],
    }),
  });

const setsOf = ({ machineSets }: CoreView, { metadata }: MachineDeployment): readonly MachineSet[] =>
  machineSets.byIndex('controller', metadata.uid ?? '');

const rollOut = (view: CoreView): Step<MachineDeployment> => ({
  name: 'roll out',
  condition: CONDITION,
  run: async (deployment, context) => {
    const { kube, signal } = context;
    const owned = setsOf(view, deployment);
    const staying = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const plan = planMachineDeployment(deployment, staying);
    if (plan.create !== undefined) await kube.create(MACHINE_SETS, plan.create, { signal });
    for (const { set, replicas } of plan.scale) {
      const { uid, resourceVersion } = set.metadata;
      const body = { metadata: { uid, resourceVersion }, spec: { replicas } };
      await kube.patch(MACHINE_SETS, keyOf(set), { type: 'merge', body }, { signal });
    }
    await removeAll(MACHINE_SETS, plan.remove, context);
    const counts = sumReplicas(deployment, owned);
    const wanted = replicasOf(deployment);
    const isAvailable = counts.availableReplicas >= wanted;
    return done<MachineDeployment>({
      status: { ...counts, observedGeneration: deployment.metadata.generation, phase: phaseOf(counts, wanted) },
      condition: {
        type: CONDITION,
        status: isAvailable ? 'True' : 'False',
        reason: isAvailable ? 'Available' : 'NotAvailable',
        message: isAvailable ? '' : `${counts.availableReplicas} of ${wanted} Machines are available`,
      },
    });
  },
});

const phaseOf = ({ replicas, readyReplicas }: ReplicaCounts, wanted: number): string => {
  if (replicas > wanted) return 'ScalingDown';
  return readyReplicas < wanted ? 'ScalingUp' : 'Running';
};

const removeSets = (view: CoreView): Step<MachineDeployment> => ({
  name: 'delete sets',
  condition: CONDITION,
  run: async (deployment, context) => {
    const owned = setsOf(view, deployment);
    await removeAll(MACHINE_SETS, owned, context);
    if (owned.length === 0) return done();
    return stop<MachineDeployment>({ status: sumReplicas(deployment, owned) });
  },
});
