/** The status that the agent tells of a Pod. Pure. What others wrote stays; a phase never goes back. */
import { toTimestamp } from '../../base/clock.ts';
import { unreachable } from '../../base/errors.ts';
import type { ContainerStatus, Pod, PodCondition } from '../../kube/types/pod.ts';
import type { Outcome } from './journal-entry.ts';
import { vmNameOf } from './vm-name.ts';

type PodStatus = NonNullable<Pod['status']>;

/** Why the container does not run yet. */
export interface Waiting {
  readonly reason: string;
  readonly message?: string;
  /** Of the Pod; set when its VM could not be made. */
  readonly podReason?: string;
}

export type PodMoment =
  | { readonly is: 'waiting'; readonly waiting: Waiting }
  /** Its process lives. Without an address it is still booting. */
  | {
      readonly is: 'running';
      readonly startedMs: number;
      readonly podIp?: string;
      readonly isReady: boolean;
      readonly isStarted: boolean;
      /** Why the container's command does not run, though the VM does. */
      readonly launching?: Waiting;
    }
  | { readonly is: 'ended'; readonly outcome: Outcome }
  | { readonly is: 'refused'; readonly reason: string; readonly message: string };

export interface StatusFacts {
  readonly nowMs: number;
  /** Of the Node; undefined while it is not known. */
  readonly hostIp?: string;
  readonly restarts: number;
  /** Of the run before this one. */
  readonly previous?: Outcome;
  readonly imageDigest?: string;
  /** Its VM; the one of the Pod's own name unless given. */
  readonly vm?: string;
}

export const renderStatus = (pod: Pod, moment: PodMoment, facts: StatusFacts): PodStatus => {
  const { reason: _reason, message: _message, podIP: _podIp, podIPs: _podIps, ...earlier } = pod.status ?? {};
  const isReady = doesRun(moment) && moment.isReady;
  const containersReady = { status: isReady ? 'True' : 'False', ...whyUnready(moment, isReady) } as const;
  const areGatesOpen = (pod.spec.readinessGates ?? []).every(({ conditionType }) => isTrue(pod, conditionType));
  const ready =
    isReady && !areGatesOpen ? ({ status: 'False', reason: 'ReadinessGatesNotReady' } as const) : containersReady;
  return {
    ...earlier,
    ...wordsOf(moment),
    phase: phaseOf(pod, moment),
    startTime: pod.status?.startTime ?? toTimestamp(facts.nowMs),
    ...(facts.hostIp === undefined ? {} : { hostIP: facts.hostIp, hostIPs: [{ ip: facts.hostIp }] }),
    ...addressOf(moment),
    conditions: [
      ...othersOf(pod),
      condition(pod, { type: 'Initialized', status: 'True' }, facts),
      condition(pod, { type: 'Ready', ...ready }, facts),
      condition(pod, { type: 'ContainersReady', ...containersReady }, facts),
    ],
    ...(moment.is === 'refused' ? {} : { containerStatuses: [containerStatus(pod, moment, facts)] }),
  };
};

/** Its VM has booted, and what is to run in it was begun. */
const doesRun = (moment: PodMoment): moment is Extract<PodMoment, { is: 'running' }> =>
  moment.is === 'running' && moment.podIp !== undefined && moment.launching === undefined;

const isTrue = ({ status }: Pod, type: string): boolean =>
  status?.conditions?.some((found) => found.type === type && found.status === 'True') === true;

/** Booting is Pending until there is an address and the command was launched; a Pod that ran does not go back to that. */
const phaseOf = (pod: Pod, moment: PodMoment): NonNullable<PodStatus['phase']> => {
  switch (moment.is) {
    case 'waiting':
      return pod.status?.phase === 'Running' ? 'Running' : 'Pending';
    case 'running':
      return doesRun(moment) || pod.status?.phase === 'Running' ? 'Running' : 'Pending';
    case 'refused':
      return 'Failed';
    case 'ended':
      return moment.outcome.exitCode === 0 && moment.outcome.podReason === undefined ? 'Succeeded' : 'Failed';
    default:
      return unreachable(moment);
  }
};

const wordsOf = (moment: PodMoment): { readonly reason?: string; readonly message?: string } => {
  switch (moment.is) {
    case 'waiting':
      return wordsOfWaiting(moment.waiting);
    case 'running':
      return moment.launching === undefined ? {} : wordsOfWaiting(moment.launching);
    case 'refused':
      return { reason: moment.reason, message: moment.message };
    case 'ended': {
      const { podReason, reason, message } = moment.outcome;
      const told = podReason ?? (reason === 'Completed' || reason === 'Error' ? undefined : reason);
      return told === undefined ? {} : { reason: told, ...(message !== undefined && { message }) };
    }
    default:
      return unreachable(moment);
  }
};

const wordsOfWaiting = ({ podReason, message }: Waiting): ReturnType<typeof wordsOf> =>
  podReason === undefined ? {} : { reason: podReason, ...(message !== undefined && { message }) };

const addressOf = (moment: PodMoment): Pick<PodStatus, 'podIP' | 'podIPs'> =>
  moment.is === 'running' && moment.podIp !== undefined ? { podIP: moment.podIp, podIPs: [{ ip: moment.podIp }] } : {};

const whyUnready = (moment: PodMoment, isReady: boolean): { readonly reason?: string } => {
  if (isReady) return {};
  if (moment.is === 'ended') return { reason: moment.outcome.exitCode === 0 ? 'PodCompleted' : 'PodFailed' };
  return { reason: 'ContainersNotReady' };
};

const OURS = ['Initialized', 'Ready', 'ContainersReady'];

const othersOf = ({ status }: Pod): readonly PodCondition[] =>
  (status?.conditions ?? []).filter(({ type }) => !OURS.includes(type));

const condition = (pod: Pod, wanted: Omit<PodCondition, 'lastTransitionTime'>, facts: StatusFacts): PodCondition => {
  const earlier = pod.status?.conditions?.find(({ type }) => type === wanted.type);
  const isSame = earlier?.status === wanted.status && earlier.lastTransitionTime !== undefined;
  return { ...wanted, lastTransitionTime: isSame ? (earlier.lastTransitionTime ?? '') : toTimestamp(facts.nowMs) };
};

const containerStatus = (pod: Pod, moment: PodMoment, facts: StatusFacts): ContainerStatus => {
  const [container] = pod.spec.containers;
  const vm = `tart://${facts.vm ?? vmNameOf(pod)}`;
  return {
    name: container?.name ?? '',
    image: container?.image ?? '',
    imageID: facts.imageDigest ?? '',
    ...(moment.is === 'waiting' ? {} : { containerID: vm }),
    ready: doesRun(moment) && moment.isReady,
    started: doesRun(moment) && moment.isStarted,
    restartCount: facts.restarts,
    state: stateOf(moment, vm),
    ...(facts.previous === undefined ? {} : { lastState: { terminated: terminated(facts.previous, vm) } }),
  };
};

const BOOTING = { reason: 'ContainerCreating', message: 'the VM is booting and has no address yet' };

const stateOf = (moment: PodMoment, vm: string): NonNullable<ContainerStatus['state']> => {
  switch (moment.is) {
    case 'waiting':
      return { waiting: waitingOf(moment.waiting) };
    case 'running':
      if (moment.podIp === undefined) return { waiting: BOOTING };
      if (moment.launching !== undefined) return { waiting: waitingOf(moment.launching) };
      return { running: { startedAt: toTimestamp(moment.startedMs) } };
    case 'ended':
      return { terminated: terminated(moment.outcome, vm) };
    case 'refused':
      return {};
    default:
      return unreachable(moment);
  }
};

const waitingOf = ({ reason, message }: Waiting) => ({ reason, ...(message !== undefined && { message }) });

const terminated = ({ exitCode, reason, message, startedMs, finishedMs }: Outcome, vm: string) => ({
  exitCode,
  reason,
  ...(message !== undefined && { message }),
  startedAt: toTimestamp(startedMs),
  finishedAt: toTimestamp(finishedMs),
  containerID: vm,
});
