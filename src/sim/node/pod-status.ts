/** The status that a Node's agent reports for a Pod: what kubectl, Jobs and the scheduler read. Pure. */
import { toTimestamp } from '../../base/clock.ts';
import { unreachable } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { PodMoment } from './pod-moment.ts';

type PodStatus = NonNullable<Pod['status']>;
type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
type PodCondition = NonNullable<PodStatus['conditions']>[number];

export interface StatusFacts {
  readonly acceptedMs: number;
  readonly nowMs: number;
  readonly hostIp: string;
}

export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** The status at this moment of its life. What was told before about times stays as it was told. */
export const renderStatus = (pod: Pod, moment: PodMoment, facts: StatusFacts): PodStatus => {
  const isStarted = moment.phase === 'Running' && moment.waiting === undefined;
  const isReady = isStarted && moment.isReady !== false;
  const readiness = { status: isReady ? 'True' : 'False', ...whyUnready(moment, isReady) } as const;
  return {
    ...pod.status,
    phase: moment.phase,
    startTime: pod.status?.startTime ?? toTimestamp(facts.acceptedMs),
    hostIP: facts.hostIp,
    ...(moment.podIp === undefined ? {} : { podIP: moment.podIp, podIPs: [{ ip: moment.podIp }] }),
    conditions: [
      ...othersOf(pod),
      condition(pod, { type: 'Initialized', status: 'True' }, facts),
      condition(pod, { type: 'Ready', ...readiness }, facts),
      condition(pod, { type: 'ContainersReady', ...readiness }, facts),
    ],
    containerStatuses: pod.spec.containers.map((container) => ({
      name: container.name,
      image: container.image ?? '',
      imageID: '',
      ready: isReady,
      started: isStarted,
      restartCount: moment.restarts ?? 0,
      state: stateOf(pod, container.name, moment),
    })),
  };
};

const whyUnready = (moment: PodMoment, isReady: boolean): { readonly reason?: string } => {
  if (moment.phase === 'Succeeded') return { reason: 'PodCompleted' };
  return isReady || moment.phase !== 'Running' ? {} : { reason: 'ContainersNotReady' };
};

/** The Pod never ran, or was stopped: it is over, and says why. */
export const renderFailure = (
  pod: Pod,
  why: { readonly reason: string; readonly message: string },
  facts: StatusFacts & { readonly exitCode: number },
): PodStatus => {
  const { exitCode, nowMs, acceptedMs } = facts;
  const moment: PodMoment = { phase: 'Failed', startedMs: acceptedMs, endedMs: nowMs, exitCode };
  return { ...renderStatus(pod, moment, facts), ...why };
};

const OURS = ['Initialized', 'Ready', 'ContainersReady'];

/** Conditions of others, such as the scheduler's. */
const othersOf = ({ status }: Pod): readonly PodCondition[] =>
  (status?.conditions ?? []).filter(({ type }) => !OURS.includes(type));

const condition = (pod: Pod, wanted: Omit<PodCondition, 'lastTransitionTime'>, facts: StatusFacts): PodCondition => {
  const earlier = pod.status?.conditions?.find(({ type }) => type === wanted.type);
  const isSame = earlier?.status === wanted.status && earlier.lastTransitionTime !== undefined;
  return { ...wanted, lastTransitionTime: isSame ? (earlier.lastTransitionTime ?? '') : toTimestamp(facts.nowMs) };
};

const stateOf = (pod: Pod, name: string, moment: PodMoment): NonNullable<ContainerStatus['state']> => {
  const earlier = pod.status?.containerStatuses?.find((container) => container.name === name)?.state?.running;
  switch (moment.phase) {
    case 'Pending':
      return { waiting: moment.waiting ?? { reason: 'ContainerCreating' } };
    case 'Running':
      if (moment.waiting !== undefined) return { waiting: moment.waiting };
      return { running: { startedAt: startOf(earlier, moment) } };
    case 'Succeeded':
    case 'Failed':
      return {
        terminated: {
          exitCode: moment.exitCode,
          reason: moment.exitCode === 0 ? 'Completed' : 'Error',
          startedAt: startOf(earlier, moment),
          finishedAt: toTimestamp(moment.endedMs),
        },
      };
    default:
      return unreachable(moment);
  }
};

/** A script is started once, and its first report counts; a process knows best when it was last started. */
const startOf = (
  earlier: { readonly startedAt?: string } | undefined,
  { startedMs, restarts }: { readonly startedMs: number; readonly restarts?: number },
): string => (restarts === undefined ? (earlier?.startedAt ?? toTimestamp(startedMs)) : toTimestamp(startedMs));
