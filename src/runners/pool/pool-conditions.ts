/** What there is to say about a pool beside its runners. Pure; none of it lets a runner go or be killed. */
import type { ErrorKind, FleetError } from '../../base/errors.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import type { ConditionReport } from '../../kube/controller/outcome.ts';
import type { Node } from '../../kube/types/core.ts';
import type { ConditionStatus } from '../../kube/types/meta.ts';
import { isInFleet, slotsOf, troubleOf } from '../fleet-nodes.ts';
import type { Streak } from '../streak.ts';
import { POOL_NAME_MAX } from './render-runner.ts';

export interface PoolSurroundings {
  readonly nodes: readonly Node[];
  /** Undefined: there is none to talk to. */
  readonly dispatcher: { readonly state: Streak['state']; readonly protocol: 1 | 2 | undefined } | undefined;
  /** How asking for load goes; undefined: nobody can be asked. */
  readonly signals: Streak['state'] | undefined;
}

const { pool: TYPES } = CONDITIONS;
const { pool: WHY } = REASONS;

const say = (type: string, status: ConditionStatus, reason: string, message = ''): ConditionReport => ({
  ...{ type, status, reason, message },
});

/** Whether there can be such a pool here at all. */
export const judgePool = ({ spec, metadata }: RunnerPool): ConditionReport => {
  if (spec.os !== 'darwin')
    return say(
      ...([TYPES.accepted, 'False', WHY.accepted.unsupportedOs] as const),
      `os ${spec.os}: this controller runs runners on Macs only; delete the pool, or leave it to a controller for ${spec.os}`,
    );
  if (metadata.name.length > POOL_NAME_MAX)
    return say(
      ...([TYPES.accepted, 'False', WHY.accepted.nameTooLong] as const),
      `the name has ${metadata.name.length} characters, and labels of runners hold ${POOL_NAME_MAX}; make it anew with a shorter one`,
    );
  return say(TYPES.accepted, 'True', WHY.accepted.accepted);
};

export const describePool = (pool: RunnerPool, around: PoolSurroundings): readonly ConditionReport[] => [
  describeFleet(pool, around.nodes),
  describeDispatcher(around.dispatcher),
  describeHandshake(around.dispatcher),
  describeScaling(pool, around.signals),
  describeImage(pool),
];

const describeFleet = ({ spec }: RunnerPool, nodes: readonly Node[]): ConditionReport => {
  const fleet = nodes.filter((node) => isInFleet(node, spec.fleetSelector));
  const ready = fleet.filter((node) => troubleOf(node) === undefined);
  const { fleetReady: why } = WHY;
  if (fleet.length === 0)
    return say(TYPES.fleetReady, 'False', why.notFound, `no Node has the label tuist.dev/fleet=${spec.fleetSelector}`);
  if (ready.length === 0)
    return say(TYPES.fleetReady, 'False', why.noReadyNode, `no Node of the fleet ${spec.fleetSelector} takes Pods`);
  if (ready.every((node) => slotsOf(node, spec) === 0))
    return say(
      ...([TYPES.fleetReady, 'False', why.tooSmall] as const),
      `no Node of the fleet has ${spec.podCPUMilli}m CPU and ${spec.podMemoryMB}Mi memory for one runner`,
    );
  return say(TYPES.fleetReady, 'True', why.ready);
};

const describeDispatcher = (dispatcher: PoolSurroundings['dispatcher']): ConditionReport => {
  const { dispatcherReady: why } = WHY;
  if (dispatcher === undefined)
    return say(TYPES.dispatcherReady, 'Unknown', why.none, 'no --sessions-url: ends of runners are not reported');
  if (dispatcher.state === 'untried') return say(TYPES.dispatcherReady, 'Unknown', why.notAsked);
  if (dispatcher.state === 'good') return say(TYPES.dispatcherReady, 'True', why.ready);
  return say(TYPES.dispatcherReady, 'False', reasonOf(dispatcher.state, why), tell(dispatcher.state));
};

const describeHandshake = (dispatcher: PoolSurroundings['dispatcher']): ConditionReport => {
  const { drainHandshake: why } = WHY;
  if (dispatcher?.protocol === 2) return say(TYPES.drainHandshake, 'True', why.known);
  if (dispatcher !== undefined && dispatcher.protocol === undefined)
    return say(TYPES.drainHandshake, 'Unknown', why.notAsked);
  return say(
    ...([TYPES.drainHandshake, 'False', why.original] as const),
    'the dispatcher knows the original protocol only: runners that may have asked for jobs are never deleted, they end when they ask next',
  );
};

const describeScaling = ({ spec }: RunnerPool, signals: PoolSurroundings['signals']): ConditionReport => {
  const { scaling: why } = WHY;
  const { enabled, maxReplicas: max, minWarmPoolFloor: floor } = spec.autoscaling;
  if (!enabled) return say(TYPES.scaling, 'True', why.fixed);
  if (signals === undefined)
    return say(TYPES.scaling, 'False', why.noSignals, 'no --scaling-signals-url: replicas stay as they are');
  if (max === 0)
    return say(
      ...([TYPES.scaling, 'False', why.zero] as const),
      'maxReplicas is 0, as it is unless set: idle runners go home, busy ones end their jobs, and none follows',
    );
  if (max < floor)
    return say(
      ...([TYPES.scaling, 'False', why.belowFloor] as const),
      `maxReplicas ${max} is below minWarmPoolFloor ${floor}: there will be no more than ${max}`,
    );
  if (typeof signals === 'string') return say(TYPES.scaling, 'True', why.automatic);
  return say(TYPES.scaling, 'False', reasonOf(signals, why), `${tell(signals)}; replicas stay as they are`);
};

const DIGEST = /@sha256:[0-9a-f]{64}$/;

const describeImage = ({ spec }: RunnerPool): ConditionReport =>
  DIGEST.test(spec.image)
    ? say(TYPES.imagePinned, 'True', WHY.imagePinned.pinned)
    : say(
        ...([TYPES.imagePinned, 'False', WHY.imagePinned.tag] as const),
        `${spec.image} has no digest: what it means may change, and Macs may run different ones`,
      );

interface TroubleReasons {
  readonly denied: string;
  readonly strange: string;
  readonly unreachable: string;
}

const reasonOf = ({ kind }: FleetError, why: TroubleReasons): string => {
  const strange: readonly ErrorKind[] = ['contract', 'invalid', 'bug'];
  if (kind === 'denied') return why.denied;
  return strange.includes(kind) ? why.strange : why.unreachable;
};

const tell = ({ message, hint }: FleetError): string => (hint === undefined ? message : `${message}. ${hint}`);
