/** MachineSets: as many Machines of one template as wanted. What to make and delete is planned in plan-machine-set.ts. */
import { isKind } from '../../base/errors.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import { reconcileLifecycle, type Step } from '../../kube/controller/lifecycle.ts';
import { type ConditionReport, done, stop } from '../../kube/controller/outcome.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { keyOf } from '../../kube/types/meta.ts';
import { referToController } from '../core/owner-references.ts';
import { watchControlled } from '../core/watch-related.ts';
import { removeAll } from './awaited-end.ts';
import { cloneInfrastructure, findTemplate, removeOrphans } from './clone-infrastructure.ts';
import type { ContractTemplate } from './contract-objects.ts';
import { type CoreView, clusterKeyOf, notPaused, pauseGate, watchClusterOf } from './core-view.ts';
import { CORE_FINALIZERS, CORE_LABELS, type Machine, type MachineSet } from './machine-kinds.ts';
import { countReplicas, planMachineSet, planMachineSync, replicasOf } from './plan-machine-set.ts';
import {
  judgeMachines,
  judgeRemediating,
  judgeScalingDown,
  judgeScalingUp,
  tell,
  tellDeleting,
} from './scaling-conditions.ts';

const { machines: MACHINES, machineSets: MACHINE_SETS } = CLUSTER_API_RESOURCES;

export const createMachineSetController = (view: CoreView): Controller => {
  const members = (set: MachineSet): readonly Machine[] => machinesOf(view, set);
  const deleting = tellDeleting<MachineSet>(members);
  return createController({
    name: 'machinesets',
    watches: [
      watchPrimary(view.machineSets),
      watchControlled(view.machines, MACHINE_SETS),
      watchClusterOf(view, view.machineSets),
    ],
    reconcile: reconcileLifecycle<MachineSet>({
      cache: view.machineSets,
      events: view.events,
      finalizer: CORE_FINALIZERS.machineSet,
      gate: pauseGate((set) => view.clusters.get(clusterKeyOf(set))),
      up: [
        ...[notPaused<MachineSet>(), deleting.up, syncMachines(view), scale(view)],
        tell('ScalingUp', (set) => judgeScalingUp(set)),
        tell('ScalingDown', judgeScalingDown),
        tell('Remediating', judgeRemediating),
        tell('MachinesReady', (set) => judgeMachines({ type: 'MachinesReady', of: 'Ready' }, members(set))),
        tell('MachinesUpToDate', (set) => judgeMachines({ type: 'MachinesUpToDate', of: 'UpToDate' }, members(set))),
      ],
      down: [notPaused(), scaleToNothing(view, deleting.message)],
    }),
  });
};

const machinesOf = ({ machines }: CoreView, { metadata }: MachineSet): readonly Machine[] =>
  machines.byIndex('controller', metadata.uid ?? '');

/** Labels, annotations and the rules of deletion reach Machines as they are. */
const syncMachines = (view: CoreView): Step<MachineSet> => ({
  name: 'sync machines',
  condition: 'MachinesUpToDate',
  run: async (set, { kube, signal }) => {
    for (const machine of machinesOf(view, set)) {
      const { uid, resourceVersion, deletionTimestamp } = machine.metadata;
      const change = deletionTimestamp === undefined ? planMachineSync(set, machine) : undefined;
      if (change === undefined) continue;
      const body = { ...change, metadata: { ...change.metadata, uid, resourceVersion } };
      await kube.patch(MACHINES, keyOf(machine), { type: 'merge', body }, { signal });
    }
    return done();
  },
});

const scale = (view: CoreView): Step<MachineSet> => ({
  name: 'scale',
  condition: 'ScalingUp',
  run: async (set, context) => {
    const owned = machinesOf(view, set);
    const plan = planMachineSet(replicasOf(set), owned, set.spec.deletion?.order);
    const template = plan.create === 0 ? undefined : await findTemplate(view, set, context);
    if (plan.create > 0) await removeOrphans(view, { set, machines: owned }, context);
    if (template !== undefined)
      for (let made = 0; made < plan.create; made += 1) await makeMachine(view, { set, template }, context);
    await removeAll(MACHINES, plan.remove, context);
    const selector = renderSelector(set.spec.selector.matchLabels ?? {});
    const status = { ...countReplicas(owned), observedGeneration: set.metadata.generation, selector };
    if (template !== undefined || plan.create === 0) return done<MachineSet>({ status });
    const missing = `${set.spec.template.spec.infrastructureRef.kind} does not exist`;
    return stop<MachineSet>({ status, condition: judgeScalingUp({ ...set, status: countReplicas(owned) }, missing) });
  },
});

interface Making {
  readonly set: MachineSet;
  readonly template: ContractTemplate;
}

/** Its infrastructure first, under the name of both, which no other ever had; that goes again if there is no Machine to be had. */
const makeMachine = async (view: CoreView, { set, template }: Making, context: ReconcileContext): Promise<void> => {
  const name = `${set.metadata.name.slice(0, BASE_LENGTH_MAX)}-${view.ids.suffix(SUFFIX_LENGTH)}`;
  const machine = renderMachine(set, name);
  const takeAway = await cloneInfrastructure(view, { set, clone: { machine, template } }, context);
  try {
    await context.kube.create(MACHINES, machine, { signal: context.signal });
  } catch (error) {
    // Where only the answer was lost the Machine is there, and without its infrastructure it would wait for ever; what has none goes in the next pass.
    if (!isKind(error, 'unavailable', 'cancelled')) await takeAway();
    throw error;
  }
};

const SUFFIX_LENGTH = 5;
/** A name must also fit into a label value, with a dash and the suffix. */
const BASE_LENGTH_MAX = 63 - 1 - SUFFIX_LENGTH;

const scaleToNothing = (view: CoreView, tellDeletion: (set: MachineSet) => ConditionReport): Step<MachineSet> => ({
  name: 'delete machines',
  condition: 'Deleting',
  run: async (set, context) => {
    const owned = machinesOf(view, set);
    await removeAll(MACHINES, owned, context);
    if (owned.length === 0) return done();
    return stop<MachineSet>({ status: countReplicas(owned), condition: tellDeletion(set) });
  },
});

/** As a query writes it. */
export const renderSelector = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');

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
