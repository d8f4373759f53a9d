/** The next step of a Deployment: a set to make, sets to scale, number or forget. Pure. */
import {
  annotationsFor,
  findCurrent,
  maxRevision,
  nextRevision,
  renderReplicaSet,
  revisionOf,
  sizeAnnotations,
  sortByAge,
  toldSize,
} from './deployment-sets.ts';
import { surgeAndUnavailable } from './deployment-status.ts';
import { planRollout } from './plan-rollout.ts';
import { planScaling } from './plan-scaling.ts';
import type { Deployment, ReplicaSet } from './replicated.ts';

export interface SetScaling {
  readonly set: ReplicaSet;
  readonly replicas: number;
  /** Annotations that go with it. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface DeploymentPlan {
  readonly current: ReplicaSet | undefined;
  readonly create: ReplicaSet | undefined;
  readonly scale: readonly SetScaling[];
  /** Annotations that the present set shall have. */
  readonly annotate: Readonly<Record<string, string>> | undefined;
  readonly revision: bigint | undefined;
  /** Old sets beyond the history that is kept. */
  readonly remove: readonly ReplicaSet[];
}

const HISTORY_LIMIT = 10;

/** `sets` are those of the Deployment that are not being deleted. */
export const planDeployment = (deployment: Deployment, sets: readonly ReplicaSet[]): DeploymentPlan => {
  const current = findCurrent(deployment, sets);
  const older = sortByAge(sets.filter((set) => set !== current));
  const limits = surgeAndUnavailable(deployment);
  if (deployment.spec.paused === true) return planPaused(deployment, { current, older });
  const revision = maxRevision([nextRevision(older), current === undefined ? 0n : revisionOf(current)]);
  const annotate = annotationsFor(deployment, { revision, surge: limits.surge });
  const step = planStep(deployment, { current, older });
  return {
    current,
    create:
      current === undefined && step.isDue
        ? renderReplicaSet(deployment, { replicas: step.current, annotations: annotate })
        : undefined,
    scale: [...(current === undefined ? [] : [{ set: current, replicas: step.current }]), ...step.older].filter(
      isChange,
    ),
    annotate: current === undefined ? undefined : annotate,
    revision,
    remove: planRemoval(deployment, { current, older }),
  };
};

interface Split {
  readonly current: ReplicaSet | undefined;
  readonly older: readonly ReplicaSet[];
}

const isChange = ({ set, replicas, annotations }: SetScaling): boolean =>
  (set.spec.replicas ?? 1) !== replicas || annotations !== undefined;

/** While it is paused only its size is followed: the newest set that has Pods takes the whole difference. */
const planPaused = ({ spec }: Deployment, { current, older }: Split): DeploymentPlan => {
  const active = [...older, ...(current === undefined ? [] : [current])].filter((set) => (set.spec.replicas ?? 1) > 0);
  const [only, ...others] = active;
  const scale = only === undefined || others.length > 0 ? [] : [{ set: only, replicas: spec.replicas ?? 1 }];
  const nothing = { create: undefined, annotate: undefined, revision: undefined, remove: [] };
  return { ...nothing, current, scale: scale.filter(isChange) };
};

interface Step {
  /** Whether the present set may exist by now. */
  readonly isDue: boolean;
  readonly current: number;
  readonly older: readonly SetScaling[];
}

const planStep = (deployment: Deployment, { current, older }: Split): Step => {
  const wanted = deployment.spec.replicas ?? 1;
  if (deployment.spec.strategy?.type === 'Recreate') {
    const isEmpty = older.every((set) => (set.spec.replicas ?? 1) === 0 && (set.status?.replicas ?? 0) === 0);
    return {
      isDue: isEmpty,
      current: isEmpty ? wanted : (current?.spec.replicas ?? 0),
      older: older.map((set) => ({ set, replicas: 0 })),
    };
  }
  const sizeOf = (set: ReplicaSet | undefined) => ({
    replicas: set === undefined ? 0 : (set.spec.replicas ?? 1),
    available: set?.status?.availableReplicas ?? 0,
  });
  const limits = surgeAndUnavailable(deployment);
  const scaled = planScaled(wanted, limits.surge, { current, older });
  if (scaled !== undefined) return scaled;
  const step = planRollout({ wanted, limits, current: sizeOf(current), older: older.map(sizeOf) });
  return {
    isDue: true,
    current: step.current,
    older: older.map((set, at) => ({ set, replicas: step.older[at] ?? 0 })),
  };
};

/** All sets that have Pods, in proportion; undefined when the Deployment was not scaled. */
const planScaled = (wanted: number, surge: number, { current, older }: Split): Step | undefined => {
  if (current === undefined) return undefined;
  const sets = [...older, current].map((set) => ({ replicas: set.spec.replicas ?? 1, ...toldSize(set) }));
  const sizes = planScaling({ wanted, surge, sets });
  if (sizes === undefined) return undefined;
  const annotations = sizeAnnotations(wanted, surge);
  const scalings = older.map((set, at) => ({ set, replicas: sizes[at] ?? 0, annotations }));
  const active = scalings.filter(({ set }) => (set.spec.replicas ?? 1) > 0);
  return { isDue: true, current: sizes.at(-1) ?? 0, older: active };
};

/** Only when the present set serves all that is wanted. */
const planRemoval = ({ spec }: Deployment, { current, older }: Split): readonly ReplicaSet[] => {
  if (current === undefined || (current.status?.availableReplicas ?? 0) < (spec.replicas ?? 1)) return [];
  const surplus = older.length - (spec.revisionHistoryLimit ?? HISTORY_LIMIT);
  if (surplus <= 0) return [];
  const isEmpty = (set: ReplicaSet): boolean => set.spec.replicas === 0 && (set.status?.replicas ?? 0) === 0;
  return [...older]
    .sort((left, right) => (revisionOf(left) < revisionOf(right) ? -1 : 1))
    .slice(0, surplus)
    .filter(isEmpty);
};
