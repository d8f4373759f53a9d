/**
 * A Mac that works gets another configuration (004-3, 004-5): when it has drifted, when it is its turn in its fleet, and as
 * an operation like the bootstrap. Its Node stays what it is meanwhile; a failure is counted and leaves the drift.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { FleetError } from '../../base/errors.ts';
import { CONDITIONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import { type EventReport, type StepResult, wait } from '../../kube/controller/outcome.ts';
import { describeGivenUp, describeWait } from '../fleet/describe-wait.ts';
import { afterFailedPush, type DriftPlan, type DriftView, planDrift } from '../fleet/plan-drift.ts';
import { planWave, type RollMember } from '../fleet/plan-wave.ts';
import { isBlameless, rollHost, wantedHashOf } from './bootstrap.ts';
import { isWithin, nodeOf, type ProviderCaches } from './host-caches.ts';
import { hostStateOf } from './host-life.ts';
import {
  isEpochOurs,
  type PrepareDeps,
  type PrepareTask,
  progressOf,
  raiseEpoch,
  WATCH_OPERATION_MS,
  withoutNewsMs,
} from './prepare-host.ts';
import { isReady } from './report.ts';

const NEXT_WAVE_LOOK_MS = 30_000;

export type RollTurn =
  | { readonly is: 'nothing' }
  | { readonly is: 'now' }
  /** Later: the pace, the cooldown, or the wave before. The message is what the Mac says meanwhile. */
  | { readonly is: 'later'; readonly afterMs: number; readonly message: string };

const driftOf = ({ ports }: PrepareDeps, host: MacHost): DriftView => ({
  nowMs: ports.clock.now(),
  desired: wantedHashOf(ports, host),
  recorded: host.status?.configHash,
  budget: host.spec.budgets.roll,
  limits: ports.settings.roll,
});

export const rollTurnOf = (deps: PrepareDeps, host: MacHost): RollTurn => {
  const drift = driftOf(deps, host);
  const plan = planDrift(drift);
  if (plan.do === 'nothing') return { is: 'nothing' };
  if (plan.do !== 'push') return laterOf(plan, host, drift);
  const members = membersOf(deps, host);
  const wave = planWave({ nowMs: drift.nowMs, members, ...deps.ports.settings.roll });
  if (wave.is === 'going' && wave.may.includes(host.metadata.name)) return { is: 'now' };
  const message = describeWait({ wanted: drift.desired, wave, members, told: toldOf(host) });
  return { is: 'later', afterMs: NEXT_WAVE_LOOK_MS, message };
};

const toldOf = ({ status }: MacHost): string =>
  status?.conditions?.find(({ type }) => type === CONDITIONS.host.ready)?.message ?? '';

/** Between two tries it says what it said before: their failures are told as events. */
const laterOf = (
  { do: next, afterMs = NEXT_WAVE_LOOK_MS }: Exclude<DriftPlan, { do: 'nothing' | 'push' }>,
  host: MacHost,
  { desired, budget }: DriftView,
): RollTurn => ({
  ...{ is: 'later', afterMs },
  message: next === 'give-up' ? describeGivenUp(desired, budget.failures) : toldOf(host),
});

/** The Macs of the fleet that work, or have worked. */
const membersOf = (deps: PrepareDeps, { spec }: MacHost): readonly RollMember[] =>
  deps.caches.hosts
    .list()
    .filter((other) => other.spec.fleet === spec.fleet && isWithin(deps.ports.settings.namespace, other))
    .filter((other) => hostStateOf(other.spec, 'there') === 'joined' && hasEverJoined(deps.caches, other))
    .map((other) => memberOf(deps, other));

/** One that has yet to may wait for long, for the end of an earlier Node (R23): nobody else is to wait for it. */
const hasEverJoined = (caches: ProviderCaches, host: MacHost): boolean =>
  host.status?.configHash !== undefined || nodeOf(caches, host) !== undefined;

const memberOf = (deps: PrepareDeps, host: MacHost): RollMember => {
  const ready = nodeOf(deps.caches, host)?.status?.conditions?.find(({ type }) => type === 'Ready');
  const drift = driftOf(deps, host);
  return {
    id: host.metadata.name,
    wanted: drift.desired,
    recorded: drift.recorded,
    readySinceMs: ready?.status === 'True' ? (parseTimestamp(ready.lastTransitionTime) ?? 0) : undefined,
    isJoined: host.status?.state === 'joined',
    isPushing: deps.operations.state(host.metadata.uid ?? '')?.state === 'running',
    hasFailed: drift.budget.failures > 0 && drift.budget.failedHash === drift.desired,
    hasGivenUp: planDrift(drift).do === 'give-up',
  };
};

/** Undefined: no push is under way, and none has ended. Its bootstrap is still at it: a Mac has joined when that was verified. */
export const rollUnderWay = async (
  deps: PrepareDeps,
  host: MacHost,
  context: PrepareTask['context'],
): Promise<StepResult<MacHost> | 'not-yet' | undefined> => {
  const uid = host.metadata.uid ?? '';
  const state = deps.operations.state(uid);
  if (state === undefined) return undefined;
  if (state.state === 'running' && host.status?.state !== 'joined') return 'not-yet';
  if (state.state === 'running') {
    // Most that fails does so at once: nothing is said of its beginning.
    if (withoutNewsMs(deps, host) !== undefined) return 'not-yet';
    const { status } = progressOf(deps.ports, host, state, 'roll');
    return wait(WATCH_OPERATION_MS, { ...isReady(), ...(status === undefined ? {} : { status }) });
  }
  // The bootstrap that brought it here ends like a push: what was verified is put on record.
  const result =
    state.state === 'failed'
      ? await failedPush(deps, host, { error: state.error, context })
      : pushed(host, state.result.digest);
  deps.operations.forget(uid);
  return result;
};

const pushed = (host: MacHost, digest: string): StepResult<MacHost> => {
  const isRoll = host.status?.configHash !== undefined && host.status.configHash !== digest;
  return wait(0, {
    ...isReady(),
    status: { configHash: digest },
    ...(host.spec.budgets.roll.failures === 0
      ? {}
      : { spec: { budgets: { ...host.spec.budgets, roll: { failures: 0 } } } }),
    ...(isRoll
      ? {
          events: [
            { type: 'Normal', reason: 'AgentRolled', message: `The Mac has the configuration ${digest.slice(0, 12)}` },
          ],
        }
      : {}),
  });
};

const failedPush = async (
  deps: PrepareDeps,
  host: MacHost,
  { error, context }: Pick<PrepareTask, 'context'> & { readonly error: FleetError },
): Promise<StepResult<MacHost>> => {
  const drift = driftOf(deps, host);
  const roll = afterFailedPush(drift, { at: toTimestamp(drift.nowMs), isCounted: !isBlameless(error) });
  const isLast = drift.limits.cap > 0 && roll.failures >= drift.limits.cap;
  const reason = isLast ? 'TartKubeletUpdateExceededRetries' : 'AgentRollFailed';
  // The epoch of the next try goes on record with the failure of this one.
  await raiseEpoch(deps, host, { context, more: { budgets: { ...host.spec.budgets, roll: { ...roll } } } });
  return wait(0, {
    events: [{ type: 'Warning', reason, message: error.message }],
  });
};

export const startRoll = async (
  deps: PrepareDeps,
  host: MacHost,
  { server, permit, context }: PrepareTask,
): Promise<StepResult<MacHost>> => {
  const { ports, operations } = deps;
  if (!isEpochOurs(deps, host)) return raiseEpoch(deps, host, { context });
  permit();
  operations.ensure(host.metadata.uid ?? '', rollHost({ ports, host, server }));
  return wait(0, { events: retriedEvents(deps, host) });
};

/** Of one that had been given up. */
const retriedEvents = ({ ports }: PrepareDeps, { spec }: MacHost): readonly EventReport[] => {
  const { failures } = spec.budgets.roll;
  const { cap } = ports.settings.roll;
  if (cap === 0 || failures < cap) return [];
  const message = `tries again after ${failures} failures: there is another configuration, or enough time has passed`;
  return [{ type: 'Normal', reason: 'AgentRollRetried', message }];
};
