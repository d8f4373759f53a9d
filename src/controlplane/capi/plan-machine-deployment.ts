/**
 * How a deployment gets to its number of Machines of the present template: which set exists for the template, and how many
 * Machines each set shall have. Rolling updates go as with Kubernetes' Deployments; `OnDelete` replaces a Machine only when
 * somebody deletes it. Pure.
 */
import { isEqualJson } from '../../base/json.ts';
import { limitsOf } from '../core/workloads/int-or-percent.ts';
import { planRollout } from '../core/workloads/plan-rollout.ts';
import { CORE_LABELS, type MachineDeployment, type MachineSet } from './machine-kinds.ts';
import { hashTemplate, renderMachineSet, renderTemplate } from './machine-set-template.ts';
import { type ReplicaCounts, replicasOf } from './plan-machine-set.ts';

export interface Scaling {
  readonly set: MachineSet;
  readonly replicas: number;
}

export interface MachineDeploymentPlan {
  /** The set for the present template, when there is none yet. */
  readonly create: MachineSet | undefined;
  readonly scale: readonly Scaling[];
  /** The present set, when its Machines shall look otherwise without being replaced. */
  readonly sync: { readonly set: MachineSet; readonly spec: Partial<MachineSet['spec']> } | undefined;
  /** Sets of older templates that have no Machine any more. */
  readonly remove: readonly MachineSet[];
}

/** `sets` are those of the deployment that are not being deleted; `livingIn` counts Machines of a set that stay. */
export const planMachineDeployment = (
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
  livingIn: (set: MachineSet) => number = replicasOf,
): MachineDeploymentPlan => {
  const current = findCurrent(deployment, sets);
  const older = sets.filter((set) => set !== current).sort(byAge);
  const step = planStep(deployment, { current, older }, livingIn);
  const remove = older.filter((set) => replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0);
  if (current === undefined)
    return { create: renderMachineSet(deployment, step.current), scale: [], sync: undefined, remove };
  const scale = [
    { set: current, replicas: step.current },
    ...older.map((set, at) => ({ set, replicas: step.older[at] ?? replicasOf(set) })),
  ].filter(({ set, replicas }) => replicasOf(set) !== replicas);
  return { create: undefined, scale, sync: planSync(deployment, current), remove };
};

export const findCurrent = (deployment: MachineDeployment, sets: readonly MachineSet[]): MachineSet | undefined =>
  sets.find(({ metadata }) => metadata.labels?.[CORE_LABELS.templateHash] === hashTemplate(deployment));

const byAge = (left: MachineSet, right: MachineSet): number => {
  const keyOf = ({ metadata }: MachineSet): string => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return keyOf(left) < keyOf(right) ? -1 : 1;
};

interface Split {
  readonly current: MachineSet | undefined;
  readonly older: readonly MachineSet[];
}

const planStep = (deployment: MachineDeployment, split: Split, livingIn: (set: MachineSet) => number) => {
  const strategy = deployment.spec.rollout?.strategy;
  if (strategy?.type === 'OnDelete') return planOnDelete(deployment, split, livingIn);
  const wanted = replicasOf(deployment);
  const { maxSurge = 1, maxUnavailable = 0 } = strategy?.rollingUpdate ?? {};
  const sizeOf = (set: MachineSet | undefined) => ({
    replicas: set === undefined ? 0 : replicasOf(set),
    available: set?.status?.availableReplicas ?? 0,
  });
  return planRollout({
    ...{ wanted, limits: limitsOf({ maxSurge, maxUnavailable }, wanted) },
    ...{ current: sizeOf(split.current), older: split.older.map(sizeOf) },
  });
};

/** An older set keeps the Machines it has; what was deleted of them is made anew in the present set. */
const planOnDelete = (
  deployment: MachineDeployment,
  { current, older }: Split,
  livingIn: (set: MachineSet) => number,
) => {
  const wanted = replicasOf(deployment);
  let surplus = older.reduce((sum, set) => sum + Math.min(replicasOf(set), livingIn(set)), 0) - wanted;
  const left = older.map((set) => {
    const living = Math.min(replicasOf(set), livingIn(set));
    const fewer = Math.min(living, Math.max(0, surplus));
    surplus -= fewer;
    return living - fewer;
  });
  const room = wanted - left.reduce((sum, count) => sum + count, 0);
  const held = current === undefined ? 0 : replicasOf(current);
  return { current: Math.max(0, Math.min(wanted, Math.max(room, Math.min(held, room)))), older: left };
};

/** Labels, annotations and the rules of deletion reach Machines as they are. */
const planSync = (deployment: MachineDeployment, current: MachineSet): MachineDeploymentPlan['sync'] => {
  const template = renderTemplate(deployment);
  const { deletion } = deployment.spec;
  const isSame = isEqualJson(current.spec.template, template) && isEqualJson(current.spec.deletion, deletion);
  if (isSame) return undefined;
  return { set: current, spec: { template, ...(deletion !== undefined && { deletion }) } };
};

/** What the sets say, taken together. */
export const sumReplicas = (sets: readonly MachineSet[]): ReplicaCounts => {
  const total = (field: keyof ReplicaCounts): number =>
    sets.reduce((sum, { status }) => sum + (status?.[field] ?? 0), 0);
  return {
    replicas: total('replicas'),
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
    upToDateReplicas: total('upToDateReplicas'),
  };
};

/** What is asked for and not honoured here: told, never passed over. */
export const findUnsupported = ({ spec }: MachineDeployment): readonly string[] => {
  const checks: readonly (readonly [string, boolean])[] = [
    ['spec.rollout.after', spec.rollout?.after !== undefined],
    ['spec.remediation', spec.remediation !== undefined && Object.keys(spec.remediation).length > 0],
    ['spec.template.spec.taints', (spec.template.spec.taints ?? []).length > 0],
    ['spec.template.spec.bootstrap.configRef', spec.template.spec.bootstrap.configRef !== undefined],
  ];
  return checks.flatMap(([name, isAsked]) => (isAsked ? [name] : []));
};
