/** L4–L6, L17, L18: once trouble is over, every Mac gets on, or stands where somebody sees it. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { PropertyId, Truth } from '../truth.ts';
import type { Witness } from './witness.ts';

export interface Finding {
  readonly property: PropertyId;
  readonly message: string;
}

const MINUTE_MS = 60_000;
/** A wipe takes an hour at most; a minute later somebody knows that it does not end. */
const WIPE_MAX_MS = 61 * MINUTE_MS;
/** What a Mac is due for at most that long is under way. */
const DUE_MS = 30 * MINUTE_MS;
/** No wait that was decided lies further ahead: the longest backoff, and as much again for its jitter. */
const WAIT_MAX_MS = 20 * MINUTE_MS;
/** As DEFAULT_LIMITS has it: after so many failures a Mac is given back. */
const FAILURES_MAX = 8;
const RETURNS_MAX = 3;

const sinceMs = (time: string | undefined, nowMs: number): number => nowMs - (parseTimestamp(time) ?? nowMs);

const readyReason = ({ status }: MacHost): string | undefined =>
  status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'False')?.reason;

/** What the manager says when it has nothing to say. */
const PLAIN = 'NotReady';

export const judgeMacs = (truth: Truth, witness: Witness): readonly Finding[] => [
  ...stuckWipes(truth),
  ...forgottenMacs(truth),
  ...stuckTiers(truth),
  ...driftingMacs(truth, witness),
  ...longWaits(truth),
];

const find = (
  property: PropertyId,
  truth: Truth,
  what: (host: MacHost, nowMs: number) => string | undefined,
): readonly Finding[] =>
  truth.list('hosts').flatMap((host) => {
    const message = what(host, truth.nowMs());
    return message === undefined ? [] : [{ property, message: `${host.metadata.name} ${message}` }];
  });

/** It says that another try does not help. */
const isHopeless = (host: MacHost): boolean =>
  ['HostKeyChanged', 'RecoveryHalted', 'ReplacementNeeded', 'NotWiped', 'PreviousIdentityAlive'].includes(
    readyReason(host) ?? '',
  );

const stuckWipes = (truth: Truth): readonly Finding[] =>
  find('L4', truth, (host, nowMs) => {
    const { release, reinstall, quarantine } = host.spec;
    const server = truth.server(host.metadata.name);
    const isWiping = release !== undefined && reinstall?.intentID === release.intentID;
    if (!isWiping || quarantine !== undefined || server === undefined || server.status === 'ready') return undefined;
    const isTold = ![undefined, PLAIN].includes(readyReason(host));
    return sinceMs(reinstall.acceptedAt, nowMs) <= WIPE_MAX_MS || isTold
      ? undefined
      : `is wiped since ${reinstall.acceptedAt}, and says nothing about it`;
  });

/** A password that was sealed is asked for again, as everything else that a bootstrap lacked. */
const forgottenMacs = (truth: Truth): readonly Finding[] =>
  find('L5', truth, (host, nowMs) => {
    const { metadata, spec, status } = host;
    if (isHopeless(host)) return undefined;
    const server = truth.server(metadata.name);
    const isOpen = server !== undefined && !server.isSealed && nowMs - server.sealedUntilMs > DUE_MS;
    const isIdle = spec.hold === undefined && !isPaused(truth, spec.claimRef?.uid);
    const { nextAttemptAt } = spec.budgets.bootstrap;
    const isDue = status?.state === 'preparing' && sinceMs(nextAttemptAt, nowMs) > DUE_MS;
    return isOpen && isIdle && isDue ? `is to be tried since ${nextAttemptAt}, and nobody does` : undefined;
  });

/** Recovery halts where a third of a pool is in quarantine (R21), and says so. */
const stuckTiers = (truth: Truth): readonly Finding[] =>
  find('L6', truth, (host, nowMs) => {
    const { budgets, release, hold, quarantine, pool } = host.spec;
    if (release !== undefined || hold !== undefined || quarantine !== undefined || pool === undefined) return undefined;
    const isToldSo = isHopeless(host);
    const isIdle = sinceMs(budgets.bootstrap.nextAttemptAt, nowMs) > DUE_MS;
    if (budgets.bootstrap.failures > FAILURES_MAX && isIdle && !isToldSo)
      return `failed ${budgets.bootstrap.failures} times, and nobody gives it back`;
    const isSpared = isQuarantineFull(truth, pool.prefix);
    return budgets.returns >= RETURNS_MAX && !isSpared
      ? `went back ${budgets.returns} times, and is free for the next`
      : undefined;
  });

const isQuarantineFull = (truth: Truth, prefix: string): boolean => {
  const pool = truth.list('hosts').filter(({ spec }) => spec.pool?.prefix === prefix);
  return (pool.filter(({ spec }) => spec.quarantine !== undefined).length + 1) * 3 > pool.length;
};

/** A push that failed too often is tried again later, and stands on the record until then. */
const driftingMacs = (truth: Truth, witness: Witness): readonly Finding[] =>
  find('L17', truth, ({ metadata, spec, status }) => {
    const isAtWork = status?.state === 'joined' && truth.mac(metadata.name)?.isUp === true;
    if (!isAtWork || witness.isWanted(status.configHash ?? '')) return undefined;
    if (isPaused(truth, spec.claimRef?.uid) || spec.hold !== undefined || spec.release !== undefined) return undefined;
    return isFleetWell(truth) ? `works with ${status.configHash}, and another configuration is wanted` : undefined;
  });

/** A Mac that is not well, or that the new configuration broke, halts the others, and that is meant (004-3). */
const isFleetWell = (truth: Truth): boolean =>
  truth
    .list('hosts')
    .filter(({ status }) => status?.state === 'joined')
    .every(({ metadata, spec }) => {
      const ready = truth.find('nodes', spec.claimRef?.name ?? '')?.status?.conditions;
      const isReady = ready?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
      return isReady && spec.budgets.roll.failures === 0 && truth.mac(metadata.name)?.isUp === true;
    });

const isPaused = (truth: Truth, uid: string | undefined): boolean => {
  const machine = truth.list('machines').find(({ metadata }) => metadata.uid === uid);
  return machine?.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
};

const longWaits = (truth: Truth): readonly Finding[] =>
  find('L18', truth, ({ spec }, nowMs) => {
    const { nextAttemptAt } = spec.budgets.bootstrap;
    return -sinceMs(nextAttemptAt, nowMs) > WAIT_MAX_MS ? `waits until ${nextAttemptAt}` : undefined;
  });
