/** What a Deployment says of its rollout: counters and the conditions that `kubectl rollout status` reads. Pure. */
import { parseTimestamp, toTimestamp } from '../../../base/clock.ts';
import { limitsOf } from './int-or-percent.ts';
import type { Deployment, ReplicaSet, WorkloadCondition } from './replicated.ts';

type DeploymentStatus = NonNullable<Deployment['status']>;

export interface RolloutFacts {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly sets: readonly ReplicaSet[];
  /** The name of the set that this pass made. */
  readonly created: string | undefined;
  readonly nowMs: number;
}

export const surgeAndUnavailable = ({ spec }: Deployment) =>
  spec.strategy?.type === 'Recreate'
    ? { surge: 0, unavailable: 0 }
    : limitsOf(spec.strategy?.rollingUpdate ?? {}, spec.replicas ?? 1);

export const renderStatus = (facts: RolloutFacts): DeploymentStatus => {
  const { deployment, current, sets } = facts;
  const total = (field: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas'): number =>
    sets.reduce((sum, { status }) => sum + (status?.[field] ?? 0), 0);
  const wantedInAll = sets.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
  const availableReplicas = total('availableReplicas');
  const counters = {
    ...(deployment.metadata.generation !== undefined && { observedGeneration: deployment.metadata.generation }),
    replicas: total('replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total('readyReplicas'),
    availableReplicas,
    unavailableReplicas: Math.max(0, wantedInAll - availableReplicas),
    terminatingReplicas: total('terminatingReplicas'),
    ...(deployment.status?.collisionCount !== undefined && { collisionCount: deployment.status.collisionCount }),
  };
  return { ...counters, conditions: renderConditions(facts, counters) };
};

const renderConditions = (facts: RolloutFacts, counters: DeploymentStatus): readonly WorkloadCondition[] => {
  const { deployment, nowMs } = facts;
  const stored = deployment.status?.conditions ?? [];
  const wanted = deployment.spec.replicas ?? 1;
  const isAvailable = (counters.availableReplicas ?? 0) >= wanted - surgeAndUnavailable(deployment).unavailable;
  const availability: WorkloadCondition = isAvailable
    ? {
        ...{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        message: 'Deployment has minimum availability.',
      }
    : {
        ...{ type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
        message: 'Deployment does not have minimum availability.',
      };
  const withAvailability = setCondition(stored, availability, nowMs);
  const progress = judgeProgress(facts, counters);
  return progress === undefined ? withAvailability : setCondition(withAvailability, progress, nowMs);
};

/** An equal one stays untouched; its transition time moves only with its status. */
const setCondition = (
  conditions: readonly WorkloadCondition[],
  wanted: WorkloadCondition,
  nowMs: number,
): readonly WorkloadCondition[] => {
  const earlier = conditions.find(({ type }) => type === wanted.type);
  const isSame = earlier?.status === wanted.status && earlier.reason === wanted.reason;
  if (isSame && wanted.lastUpdateTime === undefined) return conditions;
  const at = toTimestamp(nowMs);
  const lastTransitionTime = earlier?.status === wanted.status ? (earlier.lastTransitionTime ?? at) : at;
  const next = { ...wanted, lastUpdateTime: at, lastTransitionTime };
  return [...conditions.filter(({ type }) => type !== wanted.type), next];
};

const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';
const TIMED_OUT = 'ProgressDeadlineExceeded';
const DEFAULT_DEADLINE_SECONDS = 600;

const progressing = ({ deployment }: RolloutFacts): WorkloadCondition | undefined =>
  deployment.status?.conditions?.find(({ type }) => type === 'Progressing');

const isComplete = ({ metadata, spec }: Deployment, counters: DeploymentStatus): boolean => {
  const wanted = spec.replicas ?? 1;
  return (
    counters.updatedReplicas === wanted &&
    counters.replicas === wanted &&
    counters.availableReplicas === wanted &&
    (metadata.generation === undefined || counters.observedGeneration === metadata.generation)
  );
};

/** Undefined leaves the condition as it is. `lastUpdateTime` given means that there was progress just now. */
const judgeProgress = (facts: RolloutFacts, counters: DeploymentStatus): WorkloadCondition | undefined => {
  const { deployment, current, created, nowMs } = facts;
  const earlier = progressing(facts);
  const told = (status: WorkloadCondition['status'], reason: string, message: string): WorkloadCondition => ({
    ...{ type: 'Progressing', status, reason, message },
  });
  if (deployment.spec.paused === true) return told('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (earlier?.reason === 'DeploymentPaused') return told('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (created !== undefined) return told('True', 'NewReplicaSetCreated', `Created new replica set "${created}"`);
  const subject =
    current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  if (earlier?.reason === NEW_SET_AVAILABLE && counters.replicas === counters.updatedReplicas) return undefined;
  if (isComplete(deployment, counters))
    return told('True', NEW_SET_AVAILABLE, `${subject} has successfully progressed.`);
  if (hasProgressed(deployment.status ?? {}, counters)) {
    return { ...told('True', 'ReplicaSetUpdated', `${subject} is progressing.`), lastUpdateTime: toTimestamp(nowMs) };
  }
  const lateAtMs = deadlineMs(facts);
  if (lateAtMs === undefined || nowMs < lateAtMs) return undefined;
  return told('False', TIMED_OUT, `${subject} has timed out progressing.`);
};

const hasProgressed = (before: DeploymentStatus, after: DeploymentStatus): boolean => {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
};

/** When a rollout that does not move counts as stuck; undefined when it does not wait for anything. */
const deadlineMs = (facts: RolloutFacts): number | undefined => {
  const earlier = progressing(facts);
  if (earlier === undefined || earlier.reason === NEW_SET_AVAILABLE || earlier.reason === TIMED_OUT) return undefined;
  const sinceMs = parseTimestamp(earlier.lastUpdateTime);
  const seconds = facts.deployment.spec.progressDeadlineSeconds ?? DEFAULT_DEADLINE_SECONDS;
  return sinceMs === undefined ? undefined : sinceMs + seconds * 1_000;
};

/** When to look whether the rollout is stuck. */
export const nextLookMs = (deployment: Deployment, nowMs: number): number | undefined => {
  if (deployment.spec.paused === true) return undefined;
  const facts = { deployment, current: undefined, sets: [], created: undefined, nowMs };
  const atMs = deadlineMs(facts);
  return atMs === undefined ? undefined : Math.max(1_000, atMs - nowMs);
};
