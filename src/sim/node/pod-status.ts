/** The status that a Node's agent reports for a Pod: what kubectl, Jobs and the scheduler read. Pure. */
import { toTimestamp } from '../../base/clock.ts';
import { unreachable } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { PodMoment } from './pod-script.ts';

type PodStatus = NonNullable<Pod['status']>;
type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
type PodCondition = NonNullable<PodStatus['conditions']>[number];

export interface StatusFacts {
  readonly acceptedMs: number;
  readonly nowMs: number;
  readonly hostIp: string;
}

export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** The status at this moment of the script. What was told before about times stays as it was told. */
export const renderStatus = (pod: Pod, moment: PodMoment, facts: StatusFacts): PodStatus => {
  const isRunning = moment.phase === 'Running';
  const over = moment.phase === 'Succeeded' ? { reason: 'PodCompleted' } : {};
  return {
    ...pod.status,
    phase: moment.phase,
    startTime: pod.status?.startTime ?? toTimestamp(facts.acceptedMs),
    hostIP: facts.hostIp,
    conditions: [
      ...othersOf(pod),
      condition(pod, { type: 'Initialized', status: 'True' }, facts),
      condition(pod, { type: 'Ready', status: isRunning ? 'True' : 'False', ...over }, facts),
      condition(pod, { type: 'ContainersReady', status: isRunning ? 'True' : 'False', ...over }, facts),
    ],
    containerStatuses: pod.spec.containers.map((container) => ({
      name: container.name,
      image: container.image ?? '',
      imageID: '',
      ready: isRunning,
      started: isRunning,
      restartCount: 0,
      state: stateOf(pod, container.name, moment),
    })),
  };
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
      return { waiting: { reason: 'ContainerCreating' } };
    case 'Running':
      return { running: { startedAt: earlier?.startedAt ?? toTimestamp(moment.startedMs) } };
    case 'Succeeded':
    case 'Failed':
      return {
        terminated: {
          exitCode: moment.exitCode,
          reason: moment.exitCode === 0 ? 'Completed' : 'Error',
          startedAt: earlier?.startedAt ?? toTimestamp(moment.startedMs),
          finishedAt: toTimestamp(moment.endedMs),
        },
      };
    default:
      return unreachable(moment);
  }
};
