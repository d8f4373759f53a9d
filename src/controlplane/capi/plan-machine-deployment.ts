/**
 * How a deployment gets to its number of Machines of the present template: which set exists for the template, and how many
 * Machines each set shall have. A change of template rolls over with one Machine more than wanted and none less. Pure.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '../../base/json.ts';
import { CLUSTER_API_LABELS, CLUSTER_API_RESOURCES } from '../../kube/types/cluster-api.ts';
import { referToController } from '../core/owner-references.ts';
import { CORE_LABELS, type MachineDeployment, type MachineSet } from './machine-kinds.ts';
import { type ReplicaCounts, replicasOf } from './plan-machine-set.ts';

const MAX_SURGE = 1;

export interface Scaling {
  readonly set: MachineSet;
  readonly replicas: number;
}

export interface MachineDeploymentPlan {
  /** The set for the present template, when there is none yet. */
  readonly create: MachineSet | undefined;
  readonly scale: readonly Scaling[];
  /** Sets of older templates that have no Machine any more. */
  readonly remove: readonly MachineSet[];
}

/** `sets` are those of the deployment that are not being deleted. */
export const planMachineDeployment = (
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): MachineDeploymentPlan => {
  const wanted = replicasOf(deployment);
  const current = sets.find((set) => isOfTemplate(deployment, set));
  const older = sets.filter((set) => set !== current);
  const olderTotal = sum(older, replicasOf);
  const room = Math.max(0, wanted + MAX_SURGE - olderTotal);
  const currentReplicas = olderTotal === 0 ? wanted : Math.min(wanted, room);
  const remove = older.filter((set) => replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0);
  if (current === undefined) {
    return { create: renderMachineSet(deployment, currentReplicas), scale: [], remove };
  }
  const scale = [
    { set: current, replicas: Math.min(wanted, Math.max(currentReplicas, replicasOf(current))) },
    ...shrink(older, olderTotal - spareOf(current, older, wanted)),
  ].filter(({ set, replicas }) => replicasOf(set) !== replicas);
  return { create: undefined, scale, remove };
};

/** How many of the older Machines may go: as many as there are available ones more than wanted. */
const spareOf = (current: MachineSet, older: readonly MachineSet[], wanted: number): number => {
  const available = (set: MachineSet): number => set.status?.availableReplicas ?? 0;
  const unavailable = sum(older, (set) => Math.max(0, replicasOf(set) - available(set)));
  return unavailable + Math.max(0, available(current) + sum(older, available) - wanted);
};

/** The older sets with so many Machines in all, the first of them losing theirs first. */
const shrink = (sets: readonly MachineSet[], total: number): readonly Scaling[] => {
  let surplus = sum(sets, replicasOf) - Math.max(0, total);
  return sets.map((set) => {
    const fewer = Math.min(replicasOf(set), Math.max(0, surplus));
    surplus -= fewer;
    return { set, replicas: replicasOf(set) - fewer };
  });
};

const sum = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((total, item) => total + count(item), 0);

/** The same for the same template, whatever the order of its fields. */
export const hashTemplate = ({ spec }: MachineDeployment): string =>
  createHash('sha256')
    .update(JSON.stringify(sortKeys(spec.template.spec)))
    .digest('hex')
    .slice(0, 10);

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
};

const isOfTemplate = (deployment: MachineDeployment, { metadata }: MachineSet): boolean =>
  metadata.labels?.[CORE_LABELS.templateHash] === hashTemplate(deployment);

const renderMachineSet = (deployment: MachineDeployment, replicas: number): MachineSet => {
  const { metadata, spec } = deployment;
  const hash = hashTemplate(deployment);
  const own = { [CORE_LABELS.deploymentName]: metadata.name, [CORE_LABELS.templateHash]: hash };
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: {
      namespace: metadata.namespace ?? '',
      name: `${metadata.name}-${hash}`,
      labels: { ...spec.template.metadata?.labels, [CLUSTER_API_LABELS.clusterName]: spec.clusterName, ...own },
      ownerReferences: [referToController(CLUSTER_API_RESOURCES.machineDeployments, deployment)],
    },
    spec: {
      clusterName: spec.clusterName,
      replicas,
      selector: { matchLabels: { ...spec.selector.matchLabels, ...own } },
      template: {
        ...spec.template,
        metadata: { ...spec.template.metadata, labels: { ...spec.template.metadata?.labels, ...own } },
      },
    },
  };
};

/** What the sets say, taken together. */
export const sumReplicas = (deployment: MachineDeployment, sets: readonly MachineSet[]): ReplicaCounts => {
  const total = (field: keyof ReplicaCounts): number => sum(sets, ({ status }) => status?.[field] ?? 0);
  const current = sets.filter((set) => isOfTemplate(deployment, set));
  return {
    replicas: total('replicas'),
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
    upToDateReplicas: sum(current, ({ status }) => status?.upToDateReplicas ?? 0),
  };
};
