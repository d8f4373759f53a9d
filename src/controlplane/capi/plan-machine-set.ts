/** How a set gets to its number of Machines: how many to make, which to delete, and what its status says. Pure. */
import { isEqualJson } from '../../base/json.ts';
import { REMEDIATION } from '../../kube/types/cluster-api.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { CORE_ANNOTATIONS, type DeletionOrder, type Machine, type MachineSet } from './machine-kinds.ts';

export interface MachineSetPlan {
  readonly create: number;
  readonly remove: readonly Machine[];
}

const isDeleting = ({ metadata }: Machine): boolean => metadata.deletionTimestamp !== undefined;

/**
 * Machines on their way out are replaced at once: they neither count nor are they deleted again. Those whose replacement was
 * asked for go, however many are wanted; the next pass makes new ones.
 */
export const planMachineSet = (
  replicas: number,
  machines: readonly Machine[],
  order: DeletionOrder = 'Random',
): MachineSetPlan => {
  const staying = machines.filter((machine) => !isDeleting(machine));
  const unhealthy = staying.filter(isToBeReplaced);
  if (unhealthy.length > 0) return { create: 0, remove: unhealthy };
  const surplus = staying.length - replicas;
  if (surplus <= 0) return { create: -surplus, remove: [] };
  return { create: 0, remove: [...staying].sort(byDispensability(order)).slice(0, surplus) };
};

const isToBeReplaced = ({ status }: Machine): boolean =>
  [REMEDIATION.healthCheckSucceeded, REMEDIATION.ownerRemediated].every((type) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === 'False'),
  );

/** First those somebody marked, then those without a Node or not well; among equals as the set says. */
const byDispensability =
  (order: DeletionOrder) =>
  (left: Machine, right: Machine): number =>
    rank(left) - rank(right) ||
    AGE_FACTOR[order] * compare(left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? '') ||
    compare(left.metadata.name, right.metadata.name);

/** Names are random already. */
const AGE_FACTOR: Readonly<Record<DeletionOrder, number>> = { Random: 0, Newest: -1, Oldest: 1 };

const rank = (machine: Machine): number => {
  if (machine.metadata.annotations?.[CORE_ANNOTATIONS.deleteMachine] !== undefined) return 0;
  return machine.status?.nodeRef === undefined || !isTrue(machine, 'NodeHealthy') ? 1 : 2;
};

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

const isTrue = (object: { readonly status?: { readonly conditions?: readonly Condition[] } }, type: string): boolean =>
  object.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;

export interface ReplicaCounts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly upToDateReplicas: number;
}

/** Machines on their way out still count as replicas, as Cluster API counts, but not as ready. */
export const countReplicas = (machines: readonly Machine[]): ReplicaCounts => {
  const staying = machines.filter((machine) => !isDeleting(machine));
  return {
    replicas: machines.length,
    readyReplicas: staying.filter((machine) => isTrue(machine, 'Ready')).length,
    availableReplicas: staying.filter((machine) => isTrue(machine, 'Available')).length,
    upToDateReplicas: machines.filter((machine) => isTrue(machine, 'UpToDate')).length,
  };
};

export const replicasOf = ({ spec }: Pick<MachineSet, 'spec'>): number => spec.replicas ?? 1;

/** What of a Machine follows its set without replacing it: undefined when nothing differs. */
export const planMachineSync = (
  { spec: { template } }: MachineSet,
  machine: Machine,
): { readonly metadata?: object; readonly spec?: object } | undefined => {
  const { labels = {}, annotations = {} } = machine.metadata;
  const metadata = {
    ...missing('labels', template.metadata?.labels, labels),
    ...missing('annotations', template.metadata?.annotations, annotations),
  };
  const { deletion } = template.spec;
  const isSameSpec = deletion === undefined || isEqualJson(deletion, machine.spec.deletion);
  if (Object.keys(metadata).length === 0 && isSameSpec) return undefined;
  return { metadata, ...(isSameSpec ? {} : { spec: { deletion } }) };
};

const missing = (
  field: 'labels' | 'annotations',
  wanted: Readonly<Record<string, string>> = {},
  held: Readonly<Record<string, string>>,
): object => (Object.entries(wanted).every(([key, value]) => held[key] === value) ? {} : { [field]: wanted });
