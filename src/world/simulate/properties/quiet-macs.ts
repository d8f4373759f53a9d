/** L4–L6, L17, L18: once trouble is over, every Mac gets on, or stands where somebody sees it. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { MacHost } from '../../../kinds/mac-host.ts';
import type { PropertyId, Truth } from '../truth.ts';
import type { Finding } from './memory.ts';
import type { Witness } from './witness.ts';

const MINUTE_MS = 60_000;
/** A wipe takes an hour at most; a minute later somebody knows that it does not end. */
const WIPE_MAX_MS = 61 * MINUTE_MS;
/** What a Mac is due for at most that long is under way. */
const DUE_MS = 30 * MINUTE_MS;
/** No wait that was decided lies further ahead; times on record are whole seconds. */
const WAIT_MAX_MS = 5 * MINUTE_MS + 1_000;
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
  ...witness.rePicks.recent(truth.nowMs()).map((message): Finding => ({ property: 'L6', message })),
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

/** It says what another try has to wait for: a person (R21), another Machine (R22), the end of an earlier Node (R23). */
const isHopeless = (host: MacHost): boolean =>
  ['RecoveryHalted', 'ReplacementNeeded', 'PreviousIdentityAlive'].includes(readyReason(host) ?? '');

/** Where a third of the pool is in quarantine, no more are put there (R21): it is told then. So is one that somebody renamed (R8). */
const stuckWipes = (truth: Truth): readonly Finding[] =>
  find('L4', truth, (host, nowMs) => {
    const { release, reinstall, pool, assignedName } = host.spec;
    const server = truth.server(host.metadata.name);
    const isWiping = release !== undefined && reinstall?.intentID === release.intentID;
    if (!isWiping || release.policy === 'terminate' || server === undefined || server.status === 'ready')
      return undefined;
    if (sinceMs(reinstall.acceptedAt, nowMs) <= WIPE_MAX_MS) return undefined;
    const isOurs = server.name === assignedName?.current || server.name === assignedName?.next;
    const isSpared = !isOurs || isQuarantineFull(truth, pool?.prefix ?? '');
    const isTold = ![undefined, PLAIN].includes(readyReason(host));
    return isSpared && isTold ? undefined : `is wiped since ${reinstall.acceptedAt}, and not in quarantine`;
  });

/** A password that was sealed is asked for again, as everything else that a bootstrap lacked. */
const forgottenMacs = (truth: Truth): readonly Finding[] =>
  find('L5', truth, (host, nowMs) => {
    const { metadata, spec, status } = host;
    if (isHopeless(host)) return undefined;
    const server = truth.server(metadata.name);
    // Nothing is done to a server that somebody renamed, and that is told (R8).
    const isOurs = server?.name === spec.assignedName?.current;
    const isOpen = server !== undefined && isOurs && !server.isSealed && nowMs - server.sealedUntilMs > DUE_MS;
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

/** The reason that L17 allows stands on the record: of this Mac, or of one that the new configuration made unwell. */
const driftingMacs = (truth: Truth, witness: Witness): readonly Finding[] =>
  find('L17', truth, (host) => {
    const { metadata, spec, status } = host;
    const isAtWork = status?.state === 'joined' && truth.mac(metadata.name)?.isUp === true;
    if (!isAtWork || witness.isWanted(status.configHash ?? '')) return undefined;
    if (isPaused(truth, spec.claimRef?.uid) || spec.hold !== undefined || spec.release !== undefined) return undefined;
    const isTold = ![undefined, PLAIN].includes(readyReason(host));
    if (isTold || truth.list('hosts').some((other) => haltsRoll(other, truth, witness))) return undefined;
    return `works with ${status.configHash}, and another configuration is wanted`;
  });

/** One that failed with the new configuration, that is being changed, or that has it and is not well (004-3). */
const haltsRoll = ({ metadata, spec, status }: MacHost, truth: Truth, witness: Witness): boolean => {
  if (status?.state !== 'joined' && status?.state !== 'preparing') return false;
  const ready = truth.find('nodes', spec.claimRef?.name ?? '')?.status?.conditions;
  const isReady = ready?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const isWell = isReady && truth.mac(metadata.name)?.isUp === true;
  const isChanged = witness.isWanted(status.configHash ?? '');
  return spec.budgets.roll.failures > 0 || status.operation !== undefined || (isChanged && !isWell);
};

const isPaused = (truth: Truth, uid: string | undefined): boolean => {
  const machine = truth.list('machines').find(({ metadata }) => metadata.uid === uid);
  return machine?.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
};

const longWaits = (truth: Truth): readonly Finding[] =>
  find('L18', truth, ({ spec }, nowMs) => {
    const { nextAttemptAt } = spec.budgets.bootstrap;
    return -sinceMs(nextAttemptAt, nowMs) > WAIT_MAX_MS ? `waits until ${nextAttemptAt}` : undefined;
  });
