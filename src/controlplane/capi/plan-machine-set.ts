/** How a set gets to its number of Machines: how many to make, which to delete, and what its status says. Pure. */
import type { Condition } from '../../kube/types/meta.ts';
import { CORE_ANNOTATIONS, type Machine, type MachineSet } from './machine-kinds.ts';

export interface MachineSetPlan {
  readonly create: number;
  readonly remove: readonly Machine[];
}

const isDeleting = ({ metadata }: Machine): boolean => metadata.deletionTimestamp !== undefined;

/** Machines on their way out are replaced at once: they neither count nor are they deleted again. */
export const planMachineSet = (replicas: number, machines: readonly Machine[]): MachineSetPlan => {
  const staying = machines.filter((machine) => !isDeleting(machine));
  const surplus = staying.length - replicas;
  if (surplus <= 0) return { create: -surplus, remove: [] };
  return { create: 0, remove: [...staying].sort(byDispensability).slice(0, surplus) };
};

/** First those somebody marked, then those without a Node, then those that are not well; among equals the newest. */
const byDispensability = (left: Machine, right: Machine): number =>
  rank(left) - rank(right) ||
  compare(right.metadata.creationTimestamp ?? '', left.metadata.creationTimestamp ?? '') ||
  compare(left.metadata.name, right.metadata.name);

const rank = (machine: Machine): number => {
  if (machine.metadata.annotations?.[CORE_ANNOTATIONS.deleteMachine] !== undefined) return 0;
  if (machine.status?.nodeRef === undefined) return 1;
  return isTrue(machine, 'Ready') ? 3 : 2;
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
    upToDateReplicas: staying.length,
  };
};

export const replicasOf = ({ spec }: MachineSet): number => spec.replicas ?? 1;
