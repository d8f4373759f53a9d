/** MachineSets: as many Machines of one template as wanted. What to make and delete is planned in plan-machine-set.ts. */
import { type Controller, createController, watchMapped, watchPrimary } from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { done, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { controllerKeyOf, referToController } from '../core/owner-references.ts';
import { planNames } from '../core/stable-names.ts';
import { removeAll } from './awaited-end.ts';
import { type CoreView, clusterKeyOf, notPaused, pauseGate, watchClusterOf } from './core-view.ts';
import { CORE_FINALIZERS, CORE_LABELS, type Machine, type MachineSet } from './machine-kinds.ts';
import { countReplicas, planMachineSet, replicasOf } from './plan-machine-set.ts';

const { machines: MACHINES, machineSets: MACHINE_SETS } = CLUSTER_API_RESOURCES;
const CONDITION = 'MachinesReady';

export const createMachineSetController = (view: CoreView): Controller =>
  createController({
    name: 'machinesets',
    watches: [
      watchPrimary(view.machineSets),
      watchMapped(view.machines, (change) =>
        controllerKeyOf(MACHINE_SETS, change.type === 'deleted' ? change.old : change.object),
      ),
      watchClusterOf(view, view.machineSets),
    ],
    reconcile: reconcileLifecycle<MachineSet>({
      cache: view.machineSets,
      events: view.events,
      finalizer: CORE_FINALIZERS.machineSet,
      gate: pauseGate((set) => view.clusters.get(clusterKeyOf(set))),
      up: [notPaused(), scale(view)],
      down: [notPaused(), scaleToNothing(view)],
    }),
  });

const machinesOf = ({ machines }: CoreView, { metadata }: MachineSet): readonly Machine[] =>
  machines.byIndex('controller', metadata.uid ?? '');

const scale = (view: CoreView): Step<MachineSet> => ({
  name: 'scale',
  condition: CONDITION,
  run: async (set, context) => {
    const owned = machinesOf(view, set);
    const plan = planMachineSet(replicasOf(set), owned);
    const taken = new Set(owned.map(({ metadata }) => metadata.name));
    for (const name of planNames(set, plan.create, taken)) {
      await context.kube.create(MACHINES, renderMachine(set, name), { signal: context.signal });
    }
    await removeAll(MACHINES, plan.remove, context);
    const counts = countReplicas(owned);
    const isReady = counts.readyReplicas >= replicasOf(set);
    return done<MachineSet>({
      status: { ...counts, observedGeneration: set.metadata.generation },
      condition: {
        type: CONDITION,
        status: isReady ? 'True' : 'False',
        reason: isReady ? 'Ready' : 'NotReady',
        message: isReady ? '' : `${counts.readyReplicas} of ${replicasOf(set)} Machines are ready`,
      },
    });
  },
});

const scaleToNothing = (view: CoreView): Step<MachineSet> => ({
  name: 'delete machines',
  condition: CONDITION,
  run: async (set, context) => {
    const owned = machinesOf(view, set);
    await removeAll(MACHINES, owned, context);
    return owned.length === 0 ? done() : stop<MachineSet>({ status: countReplicas(owned) });
  },
});

/** A Machine refers to its own infrastructure, which has its name; the template is that of the set. */
const renderMachine = (set: MachineSet, name: string): Machine => {
  const { metadata = {}, spec } = set.spec.template;
  const { apiGroup, kind } = spec.infrastructureRef;
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: {
      namespace: set.metadata.namespace ?? '',
      name,
      labels: {
        ...metadata.labels,
        ...set.spec.selector.matchLabels,
        [CLUSTER_API_LABELS.clusterName]: set.spec.clusterName,
        [CORE_LABELS.setName]: set.metadata.name,
      },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [referToController(MACHINE_SETS, set)],
    },
    spec: { ...spec, infrastructureRef: { apiGroup, kind: kind.replace(/Template$/, ''), name } },
  };
};
