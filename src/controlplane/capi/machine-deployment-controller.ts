/** MachineDeployments: a MachineSet per template, and Machines moved from one to the next. Planned in plan-machine-deployment.ts. */
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { keyOf } from '../../kube/types/meta.ts';
import { watchControlled } from '../core/watch-related.ts';
import { limitsOf } from '../core/workloads/int-or-percent.ts';
import { removeAll } from './awaited-end.ts';
import { type CoreView, clusterKeyOf, notPaused, pauseGate, watchClusterOf } from './core-view.ts';
import { CORE_FINALIZERS, type Machine, type MachineDeployment, type MachineSet } from './machine-kinds.ts';
import { renderSelector } from './machine-set-controller.ts';
import {
  findUnsupported,
  type MachineDeploymentPlan,
  planMachineDeployment,
  sumReplicas,
} from './plan-machine-deployment.ts';
import { type ReplicaCounts, replicasOf } from './plan-machine-set.ts';
import {
  judgeMachines,
  judgeRemediating,
  judgeRollingOut,
  judgeScalingDown,
  judgeScalingUp,
  tell,
  tellDeleting,
} from './scaling-conditions.ts';

const { machineSets: MACHINE_SETS, machineDeployments: MACHINE_DEPLOYMENTS } = CLUSTER_API_RESOURCES;

export const createMachineDeploymentController = (view: CoreView): Controller => {
  const members = (deployment: MachineDeployment): readonly Machine[] =>
    setsOf(view, deployment).flatMap((set) => machinesOf(view, set));
  const deleting = tellDeleting<MachineDeployment>(members);
  return createController({
    name: 'machinedeployments',
    watches: [
      watchPrimary(view.machineDeployments),
      watchControlled(view.machineSets, MACHINE_DEPLOYMENTS),
      watchClusterOf(view, view.machineDeployments),
    ],
    reconcile: reconcileLifecycle<MachineDeployment>({
      cache: view.machineDeployments,
      events: view.events,
      finalizer: CORE_FINALIZERS.machineDeployment,
      gate: pauseGate((deployment) => view.clusters.get(clusterKeyOf(deployment))),
      up: [
        ...[notPaused<MachineDeployment>(), deleting.up, rollOut(view)],
        tell('Available', judgeAvailable),
        tell('RollingOut', (one) => judgeRollingOut(members(one))),
        tell('ScalingUp', (deployment) => judgeScalingUp(deployment)),
        tell('ScalingDown', judgeScalingDown),
        tell('Remediating', judgeRemediating),
        tell('MachinesReady', (one) => judgeMachines({ type: 'MachinesReady', of: 'Ready' }, members(one))),
        tell('MachinesUpToDate', (one) => judgeMachines({ type: 'MachinesUpToDate', of: 'UpToDate' }, members(one))),
      ],
      down: [notPaused(), removeSets(view, deleting.message)],
    }),
  });
};

const setsOf = ({ machineSets }: CoreView, { metadata }: MachineDeployment): readonly MachineSet[] =>
  machineSets.byIndex('controller', metadata.uid ?? '');

const machinesOf = ({ machines }: CoreView, { metadata }: MachineSet): readonly Machine[] =>
  machines.byIndex('controller', metadata.uid ?? '');

const rollOut = (view: CoreView): Step<MachineDeployment> => ({
  name: 'roll out',
  condition: 'RollingOut',
  run: async (deployment, context) => {
    const owned = setsOf(view, deployment);
    const staying = owned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const livingIn = (set: MachineSet): number =>
      machinesOf(view, set).filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
    // A deployment that is paused itself only counts.
    if (deployment.spec.paused !== true) {
      await carryOut(planMachineDeployment(deployment, staying, livingIn), context);
    }
    const counts = sumReplicas(owned);
    const unsupported = findUnsupported(deployment);
    const message = `the embedded control plane does not honour ${unsupported.join(', ')}`;
    return done<MachineDeployment>({
      status: {
        ...counts,
        ...{ observedGeneration: deployment.metadata.generation, phase: phaseOf(counts, replicasOf(deployment)) },
        selector: renderSelector(deployment.spec.selector.matchLabels ?? {}),
      },
      events: unsupported.length === 0 ? [] : [{ type: 'Warning', reason: 'NotSupported', message }],
    });
  },
});

const carryOut = async (plan: MachineDeploymentPlan, context: ReconcileContext): Promise<void> => {
  const { kube, signal } = context;
  if (plan.create !== undefined) await kube.create(MACHINE_SETS, plan.create, { signal });
  const changes = new Map<MachineSet, object>(plan.scale.map(({ set, replicas }) => [set, { replicas }]));
  if (plan.sync !== undefined) changes.set(plan.sync.set, { ...changes.get(plan.sync.set), ...plan.sync.spec });
  for (const [set, spec] of changes) {
    const { uid, resourceVersion } = set.metadata;
    const body = { metadata: { uid, resourceVersion }, spec };
    await kube.patch(MACHINE_SETS, keyOf(set), { type: 'merge', body }, { signal });
  }
  await removeAll(MACHINE_SETS, plan.remove, context);
};

const phaseOf = ({ replicas, readyReplicas }: ReplicaCounts, wanted: number): string => {
  if (replicas > wanted) return 'ScalingDown';
  return readyReplicas < wanted ? 'ScalingUp' : 'Running';
};

/** Enough is what a rollout may never go below. */
const judgeAvailable = (deployment: MachineDeployment): ConditionReport => {
  const wanted = replicasOf(deployment);
  const { maxSurge = 1, maxUnavailable = 0 } = deployment.spec.rollout?.strategy?.rollingUpdate ?? {};
  const needed = wanted - limitsOf({ maxSurge, maxUnavailable }, wanted).unavailable;
  const available = deployment.status?.availableReplicas ?? 0;
  if (available >= needed) return { type: 'Available', status: 'True', reason: 'Available', message: '' };
  const message = `${available} available replicas, at least ${needed} required`;
  return { type: 'Available', status: 'False', reason: 'NotAvailable', message };
};

const removeSets = (
  view: CoreView,
  tellDeletion: (deployment: MachineDeployment) => ConditionReport,
): Step<MachineDeployment> => ({
  name: 'delete sets',
  condition: 'Deleting',
  run: async (deployment, context) => {
    const owned = setsOf(view, deployment);
    await removeAll(MACHINE_SETS, owned, context);
    if (owned.length === 0) return done();
    return stop<MachineDeployment>({ status: sumReplicas(owned), condition: tellDeletion(deployment) });
  },
});
