/**
 * What helps a Mac that does not get through its bootstrap (000-4..6, R21): another try, one reboot, another Mac; and after
 * three returns a place where nobody takes it from. When a third of a pool is there, it is not the Macs: everything halts.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { parseServerName, renderServerName } from '../../kinds/names.ts';
import type { Halt, HostLimits, HostPlan, HostView, PoolCensus, Silence } from './host-view.ts';
import { giveName, nameOnRecord, pursueName, recordWrite } from './recorded-write.ts';
import { haltForWipes } from './wipe-limit.ts';

/** Reasons of a release that count against the Mac. */
const FAULTS = { exhausted: 'BootstrapExhausted', keyChanged: 'HostKeyChanged' } as const;
/** Reason of the release of a quarantined Mac for which there is a new configuration; one more failure puts it back. */
const ANOTHER_TRY = 'NewConfiguration';
/** Bears the marks of another claim: wiped again before anybody gets it (R9). Not the Mac's fault. */
const NOT_WIPED = 'NotWiped';
/** What a Mac answers that does not know the fleet's key. */
export const LOCKED_OUT = 'AuthenticationFailed';
/** The same of one that cannot know it: installed before the key was known. Not the Mac's fault either. */
export const KEY_MISSING = 'FleetKeyMissing';
const BLAMELESS: readonly string[] = [NOT_WIPED, KEY_MISSING];
const RETURNS_MAX = 3;
const DAY_MS = 86_400_000;
const REBOOTS_PER_DAY = 4;
/** After a reboot that was refused, or that somebody asked for, the Mac is only tried again, at the pace of its bootstrap. */
const NEXT_REBOOT_MS = 600_000;

const isBlameless = (error: string | undefined): boolean => error !== undefined && BLAMELESS.includes(error);

const isFault = (reason: string | undefined): boolean => reason === FAULTS.exhausted || reason === FAULTS.keyChanged;

/** How often in a row a Mac went back for failing, once its release is over. */
export const returnsAfter = ({ release, budgets }: MacHostSpec): number => {
  if (isFault(release?.reason)) return budgets.returns + 1;
  if (release?.reason === KEY_MISSING) return budgets.returns;
  return release?.reason === ANOTHER_TRY ? RETURNS_MAX - 1 : 0;
};

/** Whether a Mac that comes back from a wipe is to be kept apart, and the pool can spare it. */
export const isForQuarantine = ({ spec, census }: HostView): boolean => {
  const isDue = spec.release?.reason === FAULTS.keyChanged || returnsAfter(spec) >= RETURNS_MAX;
  return isDue && canSpareOne(census());
};

export const isQuarantineName = (name: string | undefined): boolean =>
  name !== undefined && parseServerName(name, [])?.kind === 'quarantine';

/** In quarantine, or about to get the name under which it is once that was seen. */
export const isKeptApart = ({ quarantine, assignedName }: MacHostSpec): boolean =>
  quarantine !== undefined || isQuarantineName(assignedName?.next);

/** At most a third of a pool is kept apart (R21). */
export const canSpareOne = ({ size, quarantined }: PoolCensus): boolean => (quarantined + 1) * 3 <= size;

const isHalted = ({ size, quarantined }: PoolCensus): boolean => quarantined > 0 && (quarantined + 1) * 3 > size;

/** That many do not fall silent by themselves: their way to the API server is cut, or that is behind (R21). One alone may. */
const isWidespread = ({ working, silent }: Silence): boolean => silent > 1 && silent * 3 > working;

/** What the failures so far call for; the budget alone decides. */
export const tierOf = ({ budgets }: MacHostSpec, { rebootAfter, releaseAfter }: HostLimits): Tier => {
  const { failures, lastError } = budgets.bootstrap;
  if (failures === 0) return 'retry';
  const isPastFirst = rebootAfter > 0 && failures >= rebootAfter;
  // A Mac that does not know the fleet's key gets it by a new installation only; a reboot changes nothing (F41).
  const isLockedOut = (lastError === LOCKED_OUT || lastError === KEY_MISSING) && isPastFirst;
  const isHopeless = lastError === NOT_WIPED || lastError === FAULTS.keyChanged;
  if (isHopeless || isLockedOut || (releaseAfter > 0 && failures >= releaseAfter)) return 'give-back';
  return isPastFirst && budgets.reboots.sinceClaim === 0 ? 'reboot' : 'retry';
};

export type Tier = 'retry' | 'reboot' | 'give-back';

const HALTED: HostPlan = {
  do: 'report',
  reason: REASONS.host.ready.recoveryHalted,
  message: 'a third of the pool is in quarantine: that is not the Macs. Nothing is rebooted or wiped until it is less',
};

/** Their certificates may have ended meanwhile, and only another try gets them new ones (R23): that goes on, at its pace. */
const tryOn = ({ server, times }: HostView, halted: Halt): HostPlan =>
  server?.status === 'ready' ? { do: 'prepare', halted } : { do: 'wait', afterMs: times.pollMs, ...halted };

const WIDESPREAD: Halt = {
  reason: REASONS.host.ready.recoveryHalted,
  message: 'many Macs that worked are not ready: that is not the Macs, and none is rebooted or wiped',
};

/** Why no attempt that fails now counts against a Mac: it says nothing of it, or may lead to nothing (R20, R21). */
export const haltOf = (view: Pick<HostView, 'limits' | 'census'>): Halt | undefined =>
  view.census().silences.some(isWidespread) ? WIDESPREAD : haltForWipes(view);

/** Undefined: nothing but another try. */
export const planRecovery = (view: HostView): HostPlan | undefined => {
  const tier = tierOf(view.spec, view.limits);
  if (tier === 'retry') return undefined;
  const census = view.census();
  const isOwnFault = !isBlameless(view.spec.budgets.bootstrap.lastError);
  if (isOwnFault && isHalted(census)) return HALTED;
  const halt = isOwnFault ? haltOf(view) : haltForWipes(view);
  if (halt !== undefined) return tryOn(view, halt);
  if (tier === 'give-back') return giveBack(view);
  const help = whatHelps(view.diagnosis);
  if (help === 'reinstall') return giveBack(view);
  return help === 'reboot' && isRebootDue(view) ? intendReboot(view) : undefined;
};

/** A refusal gives the one reboot back, but what refuses it (a locked server) lasts: it is not asked for at once again. */
const isRebootDue = ({ spec, nowMs }: HostView): boolean => {
  const { verb, at } = spec.lastWrite ?? {};
  const isJustTried = verb === 'reboot' && nowMs - (parseTimestamp(at) ?? 0) < NEXT_REBOOT_MS;
  return !isJustTried && rebootsOfLastDay(spec, nowMs).length < REBOOTS_PER_DAY;
};

/**
 * A server that Scaleway finds healthy may still keep us out, by a ban of our address or a locked account: a reboot ends
 * both (F39, F40). Of a sick one Scaleway says what it takes.
 */
const whatHelps = (diagnosis: HostView['diagnosis']): 'reboot' | 'reinstall' | 'neither' => {
  if (diagnosis === undefined || diagnosis.isHealthy) return 'reboot';
  if (diagnosis.supportedActions.includes('reboot_server')) return 'reboot';
  return diagnosis.supportedActions.includes('reinstall_server') ? 'reinstall' : 'neither';
};

const rebootsOfLastDay = ({ budgets }: MacHostSpec, nowMs: number): readonly string[] =>
  budgets.reboots.times.filter((time) => nowMs - (parseTimestamp(time) ?? 0) < DAY_MS);

const releaseOf = (view: HostView, reason: string, message: string): NonNullable<MacHostSpec['release']> => ({
  ...{
    intentID: view.uuid(),
    policy: view.spec.ordered ? 'terminate' : 'pool',
    reason,
    message,
    requestedAt: toTimestamp(view.nowMs),
    by: 'macfleet',
  },
});

const giveBack = (view: HostView): HostPlan => {
  const { spec } = view;
  const { failures, lastError = '' } = spec.budgets.bootstrap;
  if (view.isProvisioned) {
    return {
      do: 'report',
      reason: REASONS.host.ready.replacementNeeded,
      message: `it failed ${failures} times (${lastError}): its Machine is to be replaced`,
    };
  }
  if (spec.pool === undefined && !spec.ordered) {
    return { do: 'report', message: `it failed ${failures} times (${lastError}), and has no pool to go back to` };
  }
  const reason = isBlameless(lastError) || lastError === FAULTS.keyChanged ? lastError : FAULTS.exhausted;
  const message = `gave the Mac back after ${failures} failed attempts, the last with ${lastError}`;
  return {
    do: 'store',
    spec: { release: releaseOf(view, reason, message) },
    event: { type: 'Warning', reason, message },
  };
};

/** The budget is used with the intent: whether the answer is lost or the process dies, there is no second reboot (F04). */
const intendReboot = (view: HostView): HostPlan => ({
  do: 'store',
  spec: { lastWrite: recordWrite(view, 'reboot'), budgets: afterReboot(view, 'recovery') },
  event: { type: 'Normal', reason: 'RebootingForRecovery', message: 'rebooting the Mac, which may help it' },
});

/** A reboot unlocks the account: of the passwords that were tried, only those count on that the Mac refused (F39). */
const afterReboot = ({ spec, nowMs }: HostView, why: 'recovery' | 'request'): MacHostSpec['budgets'] => ({
  ...spec.budgets,
  sudo: { tries: spec.budgets.sudo.tries.filter(({ outcome }) => outcome === 'refused') },
  reboots: {
    sinceClaim: spec.budgets.reboots.sinceClaim + (why === 'recovery' ? 1 : 0),
    times: [...rebootsOfLastDay(spec, nowMs), toTimestamp(nowMs)].slice(-REBOOTS_PER_DAY),
  },
});

/** In quarantine a Mac has a name that no pool knows; a configuration it has not failed with earns it another try. */
export const planSeclude = (view: HostView): HostPlan => {
  const { spec, server, clusterId, configHash } = view;
  const next = spec.assignedName?.next;
  if (next !== undefined) return pursueName(view, next);
  if (!isQuarantineName(server?.name)) {
    return giveName(view, {
      from: nameOnRecord(view),
      to: renderServerName({ kind: 'quarantine', clusterId, uuid: view.uuid() }),
    });
  }
  const { configHash: failedHash } = spec.quarantine ?? {};
  if (failedHash === undefined || failedHash === configHash) return { do: 'rest' };
  const message = 'there is another host configuration than the one it failed with';
  const release = releaseOf(view, ANOTHER_TRY, message);
  return { do: 'store', spec: { release }, event: { type: 'Normal', reason: ANOTHER_TRY, message } };
};

/** A reboot that was certainly not done is given back to the budget (000-4). */
export const withoutReboot = ({ budgets }: MacHostSpec): MacHostSpec['budgets'] => ({
  ...budgets,
  reboots: { sinceClaim: Math.max(budgets.reboots.sinceClaim - 1, 0), times: budgets.reboots.times.slice(0, -1) },
});

/** Somebody asked for a reboot (R24): taken off the record with the intent, for the same reason. Undefined: nobody did. */
export const planRequestedReboot = (view: HostView): HostPlan | undefined => {
  const { spec, nowMs, times } = view;
  if (spec.rebootRequest === undefined) return undefined;
  if (rebootsOfLastDay(spec, nowMs).length >= REBOOTS_PER_DAY) {
    const message = `a reboot was asked for, but it was rebooted ${REBOOTS_PER_DAY} times within a day`;
    return { do: 'wait', afterMs: times.pollMs * 6, message };
  }
  return {
    do: 'store',
    spec: {
      rebootRequest: undefined,
      lastWrite: recordWrite(view, 'reboot'),
      budgets: afterReboot(view, 'request'),
    },
    event: {
      type: 'Normal',
      reason: 'RebootRequested',
      message: `rebooting the Mac, asked for by ${spec.rebootRequest.by ?? 'somebody'}`,
    },
  };
};

/** A reboot on record is sent once, by the process that put it there; after that the server is waited for. */
export const planReboot = ({ spec, server, isUnsent, times }: HostView): HostPlan | undefined => {
  if (spec.lastWrite?.verb === 'reboot' && isUnsent) return { do: 'reboot' };
  return server?.status === 'rebooting' ? { do: 'wait', afterMs: times.pollMs } : undefined;
};
