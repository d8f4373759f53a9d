/**
 * From a Mac with its final name to one whose Node is there: an epoch of our own, the bootstrap as an operation under it,
 * then the Node. Failures are counted and paced in the durable record.
 */
import { afterFailure } from '../../base/backoff.ts';
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { FleetError, toFleetError } from '../../base/errors.ts';
import { isEqualJson } from '../../base/json.ts';
import { CONDITIONS, REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import { ifThere } from '../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { Operations } from '../../kube/controller/operations.ts';
import { type Report, type StepResult, wait } from '../../kube/controller/outcome.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import type { ServerAccess } from '../../scaleway/port/cloud.ts';
import {
  type BootstrapProgress,
  type BootstrapResult,
  bootstrapHost,
  isBlameless,
  rollHost,
  withdrawIdentity,
} from './bootstrap.ts';
import type { Decisions } from './decisions.ts';
import { nodeOf, type ProviderCaches, providerIdOf } from './host-caches.ts';
import { recordOn } from './host-record.ts';
import { describeIllness, isNodeReady } from './node-health.ts';
import { findIdentityRival, identityFrom, identityLeftMs } from './node-identity.ts';
import { censusOf } from './observe-host.ts';
import { haltOf } from './plan-recovery.ts';
import type { HostPorts } from './ports.ts';
import { notReady } from './report.ts';
import { isNewer } from './sighting.ts';
import type { AnnouncedTries } from './sudo-record.ts';

export const WATCH_OPERATION_MS = 60_000;

/** How long after its beginning and its end work is not told of: its first steps, or the Node, are told with it. */
const FIRST_WORD_MS = 2_000;

export interface PrepareDeps {
  readonly ports: HostPorts;
  readonly caches: ProviderCaches;
  readonly operations: Operations<BootstrapProgress, BootstrapResult>;
  /** The epoch that this process raised for a host, by UID: only under its own does it start work. */
  readonly raisedEpochs: Map<string, number>;
  /** Those of them with which it went on record until when the Mac may be its Node: only under such a one is it given a token (R23). */
  readonly joinEpochs: Map<string, number>;
  readonly announced: AnnouncedTries;
  /** Wipes, and Macs kept apart, that the cache may not show yet. */
  readonly decisions: Decisions;
}

/** How long there is nothing to tell of work: it has just begun or ended, or is where it was. Undefined: there is. */
export const withoutNewsMs = ({ ports, operations }: PrepareDeps, { metadata, status }: MacHost) => {
  const state = operations.state(metadata.uid ?? '');
  if (state === undefined || state.state === 'failed') return undefined;
  if (state.state === 'running' && state.progress !== undefined)
    return isEqualJson(status?.operation?.steps, state.progress.steps) ? WATCH_OPERATION_MS : undefined;
  const sinceMs = state.state === 'running' ? state.sinceMs : state.result.finishedAtMs;
  const leftMs = sinceMs + FIRST_WORD_MS - ports.clock.now();
  return leftMs > 0 ? leftMs : undefined;
};

/** What there is to say without a look at the server: work under way, or a pause between two tries. Undefined: look. */
export const underWay = (deps: PrepareDeps, host: MacHost): StepResult<MacHost> | undefined => {
  const { ports, operations } = deps;
  const state = operations.state(host.metadata.uid ?? '');
  if (state?.state === 'failed') return failedAttempt(deps, host, state.error);
  if (state?.state === 'running') return wait(WATCH_OPERATION_MS, progressOf(ports, host, state, 'bootstrap'));
  if (state?.state === 'succeeded') return ended(deps, host, state.result);
  return undefined;
};

/**
 * Scaleway puts the fleet's key on a Mac when it installs it: it has to be known there before anything else (001-4). What there
 * is to say when there is none; undefined: there is one.
 */
export const awaitFleetKey = async (
  { ports: { fleetKeys, settings } }: PrepareDeps,
  { spec }: MacHost,
  signal: AbortSignal,
): Promise<StepResult<MacHost> | undefined> => {
  try {
    await fleetKeys.privateKeyOf(spec.fleet ?? '', signal);
    return undefined;
  } catch (error) {
    const { kind, code, message, hint = '' } = toFleetError(error);
    if (kind !== 'invalid') throw error;
    // Nothing tells of a Secret that was put right.
    return wait(settings.times.pollMs, notReady(code, `${message}. ${hint}`));
  }
};

export interface PrepareTask {
  readonly server: ServerAccess;
  /** Asked right before work begins. */
  readonly permit: () => void;
  readonly context: Pick<ReconcileContext, 'kube' | 'signal'>;
}

/** Undefined: its time has come. What the last attempt said of itself stays. */
export const pacedUntil = ({ ports }: PrepareDeps, { spec, status }: MacHost): StepResult<MacHost> | undefined => {
  const { failures, nextAttemptAt, lastError } = spec.budgets.bootstrap;
  const leftMs = (parseTimestamp(nextAttemptAt) ?? 0) - ports.clock.now();
  if (nextAttemptAt === undefined || leftMs <= 0) return undefined;
  const told = status?.conditions?.find(({ type }) => type === CONDITIONS.host.ready);
  if (told?.message.endsWith(nextAttemptAt) === true) return wait(leftMs, notReady(told.reason, told.message));
  const reason = lastError ?? REASONS.machine.bootstrapped.bootstrapFailed;
  return wait(leftMs, notReady(reason, sayNext({ failures, nextAttemptAt })));
};

const sayNext = (
  { failures, nextAttemptAt }: { readonly failures: number; readonly nextAttemptAt: string },
  why?: string,
): string => {
  const which = failures === 0 ? 'an attempt' : `attempt ${failures}`;
  return `${which} failed${why === undefined ? '' : `: ${why}`}; the next is at ${nextAttemptAt}`;
};

export const prepare = async (
  deps: PrepareDeps,
  host: MacHost,
  { server, permit, context }: PrepareTask,
): Promise<StepResult<MacHost>> => {
  const { ports, operations } = deps;
  const uid = host.metadata.uid ?? '';
  const paced = pacedUntil(deps, host);
  if (paced !== undefined) return paced;
  const job = { ports, host, server, announced: deps.announced };
  const rival = await findIdentityRival(deps, host, context);
  if (rival?.left !== undefined) {
    await removeLeft(rival.left, context);
    return wait(0);
  }
  if (rival !== undefined) return wait(rival.leftMs, notReady(REASONS.host.ready.previousIdentityAlive, rival.message));
  const isLook = isLookEnough(deps, host);
  const mayStart = isEpochOurs(deps, host) && (isLook || mayBringToken(deps, host));
  if (!mayStart) return raiseEpoch(deps, host, { context, more: isLook ? {} : identityFrom(ports, host) });
  permit();
  operations.ensure(uid, isLook ? rollHost(job) : bootstrapHost(job));
  return wait(0);
};

/**
 * The first attempt on a Mac whose Node is there and which has an identity that lives: it changes what is not as wanted, and on
 * a Mac where everything is, nothing. With the next it gets a new identity, for which its agent is started again.
 */
const isLookEnough = ({ ports, caches }: PrepareDeps, host: MacHost): boolean => {
  const { identity, budgets } = host.spec;
  const isAtHome = identity?.offered !== true && (identityLeftMs(host, ports.clock.now()) ?? 0) > 0;
  return isAtHome && budgets.bootstrap.failures === 0 && nodeOf(caches, host) !== undefined;
};

/** As it was seen: whoever speaks as that Node meanwhile keeps it. */
export const removeLeft = async (
  { metadata: { name, uid = '', resourceVersion = '' } }: Node,
  { kube, signal }: PrepareTask['context'],
): Promise<void> => {
  await ifThere(kube.delete(NODES, { name }, { preconditions: { uid, resourceVersion }, signal }));
};

/** Whether this process raised the epoch that is on record: work begins only then (R10). */
export const isEpochOurs = ({ raisedEpochs }: PrepareDeps, { metadata, spec }: MacHost): boolean =>
  raisedEpochs.get(metadata.uid ?? '') === spec.epoch;

/** Whether an identity was put on record with this epoch, and the Mac has not joined under it: another token needs another epoch (R23). */
const mayBringToken = ({ joinEpochs }: PrepareDeps, { metadata, spec }: MacHost): boolean =>
  joinEpochs.get(metadata.uid ?? '') === spec.epoch && spec.identity?.token?.epoch !== spec.epoch;

/**
 * `more` goes on record with it. Ours only once it is stored: of two who raise it to the same number, one is refused. It is
 * at least the time in seconds, so that nobody is given the number again of whom an older etcd no longer knows.
 */
export const raiseEpoch = async (
  { ports, raisedEpochs, joinEpochs }: PrepareDeps,
  host: MacHost,
  { context, more = {} }: Pick<PrepareTask, 'context'> & { readonly more?: Report<MacHost>['spec'] },
): Promise<StepResult<MacHost>> => {
  // While the record still says what was brought last: of an epoch that is gone nobody could tell its token.
  await withdrawIdentity(ports, host, context.signal);
  const epoch = Math.max(host.spec.epoch + 1, Math.floor(ports.clock.now() / 1_000));
  const { metadata, spec } = await recordOn(host, { epoch, ...more }, context);
  raisedEpochs.set(metadata.uid ?? '', spec.epoch);
  if (ports.join.lifeMs === undefined || 'identity' in more) joinEpochs.set(metadata.uid ?? '', spec.epoch);
  return wait(0);
};

export const progressOf = (
  { settings }: HostPorts,
  { spec, status }: MacHost,
  state: { readonly sinceMs: number; readonly progress?: BootstrapProgress },
  kind: 'bootstrap' | 'roll',
): Report<MacHost> => ({
  ...notReady(REASONS.host.ready.notReady, state.progress === undefined ? 'waiting for its SSH' : 'bootstrapping'),
  status: {
    operation: {
      kind,
      epoch: spec.epoch,
      startedAt: toTimestamp(state.sinceMs),
      deadline: toTimestamp(state.sinceMs + settings.times.bootstrapTimeoutMs),
      ...(state.progress === undefined ? {} : { steps: state.progress.steps.map((step) => ({ ...step })) }),
    },
    ...(state.progress === undefined || isNewer(status?.server, state.progress.server)
      ? {}
      : { server: state.progress.server }),
  },
});

const ended = (deps: PrepareDeps, host: MacHost, result: BootstrapResult): StepResult<MacHost> => {
  const { clock, settings } = deps.ports;
  const leftMs = result.finishedAtMs + settings.times.nodeWaitMs - clock.now();
  return leftMs > 0
    ? wait(leftMs, {
        ...notReady(REASONS.host.ready.notReady, 'bootstrapped, waiting for its Node'),
        status: { configHash: result.digest, operation: undefined },
      })
    : failedAttempt(deps, host, noNode(deps, host));
};

const noNode = ({ caches }: PrepareDeps, host: MacHost): FleetError => {
  const node = nodeOf(caches, host);
  const { nodeMissing, nodeNotReady } = REASONS.machine.bootstrapped;
  return node === undefined || isNodeReady(node)
    ? new FleetError('unavailable', {
        code: nodeMissing,
        message: `no Node with providerID ${providerIdOf(host)} appeared after the bootstrap`,
      })
    : new FleetError('unavailable', {
        code: nodeNotReady,
        message: `the Mac is configured, but ${describeIllness(node)}`,
      });
};

const failedAttempt = (deps: PrepareDeps, host: MacHost, error: FleetError): StepResult<MacHost> => {
  const { clock, random, settings } = deps.ports;
  const { spec } = host;
  const uid = host.metadata.uid ?? '';
  deps.operations.forget(uid);
  deps.raisedEpochs.delete(uid);
  const seen = error.details['seen'];
  // A restored etcd forgot epochs that the Mac has seen: whoever leads goes on from there (R10).
  if (error.code === 'StaleEpoch' && typeof seen === 'number')
    return wait(0, { spec: { epoch: Math.max(seen, spec.epoch) } });
  const halt = haltOf({ limits: settings.limits, census: () => censusOf(deps, host, clock.now()) });
  const { bootstrapBackoff } = settings.times;
  const policy = { ...bootstrapBackoff, factor: 2, minMs: bootstrapBackoff.initialMs / 2 };
  const { failures } = spec.budgets.bootstrap;
  const isCounted = halt === undefined && !isBlameless(error);
  const attempts = halt === undefined ? (isCounted ? failures : 0) : HALTED_PACE;
  const next = afterFailure({ attempts, notBeforeMs: 0 }, clock.now(), { policy, random });
  const bootstrap = {
    failures: isCounted ? next.attempts : failures,
    nextAttemptAt: toTimestamp(next.notBeforeMs + 999),
    lastError: error.code,
  };
  const said = sayNext(bootstrap, error.message);
  return wait(0, {
    spec: { budgets: { ...spec.budgets, bootstrap } },
    ...(halt === undefined ? notReady(error.code, said) : notReady(halt.reason, `${halt.message}; ${said}`)),
    events: [{ type: 'Warning', reason: eventReasonOf(error), message: error.message }],
  });
};

/** As after so many failures: as slow as it gets. */
const HALTED_PACE = 20;

/** What the original has a name for is told under that; everything else failed in the bootstrap. */
const eventReasonOf = ({ code }: FleetError): string => {
  const known: readonly string[] = Object.values(REASONS.machine.bootstrapped);
  return known.includes(code) ? code : REASONS.machine.bootstrapped.bootstrapFailed;
};
