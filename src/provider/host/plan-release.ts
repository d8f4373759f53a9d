/**
 * The way out: any name of ours → releasing name → reinstall, until one was seen to begin → pool name (R12, R13). Or the
 * end of the rent, for a Mac that is not to come back (R25). Only a stored release starts it (R11).
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { parseServerName, renderServerName } from '../../kinds/names.ts';
import type { Changes } from '../../kube/controller/outcome.ts';
import type { CloudServer } from '../../scaleway/port/cloud.ts';
import type { HostPlan, HostView } from './host-view.ts';
import { canSpareOne, isForQuarantine, isQuarantineName, returnsAfter } from './plan-recovery.ts';
import { giveName, isRecordFresh, nameOnRecord, pursueName, recordWrite } from './recorded-write.ts';
import type { Sighting } from './sighting.ts';
import { awaitWipes, earlierWipes, haltForWipes, isWipeLimitReached, type Reinstall } from './wipe-limit.ts';

export const planWipe = (view: HostView): HostPlan => {
  const { spec, server, times } = view;
  const unnamed = towardsReleasingName(view);
  if (unnamed !== undefined) return unnamed;
  if (server?.status === 'reinstalling' && isWipeRequested(spec)) return acceptWipe(view);
  if (server?.status !== 'ready') return { do: 'wait', afterMs: times.pollMs };
  if (isWipeRequested(spec) && isRecordFresh(view, 'reinstall')) {
    return { do: 'reinstall', osFamily: spec.osFamily ?? server.osFamily };
  }
  return askForWipe(view, server);
};

/** Undefined once the server is seen under its releasing name. */
const towardsReleasingName = (view: HostView): HostPlan | undefined => {
  const { spec, server, clusterId } = view;
  const next = spec.assignedName?.next;
  if (server !== undefined && isReleasing(server.name)) return undefined;
  if (next !== undefined && isReleasing(next)) return pursueName(view, next);
  return giveName(view, {
    from: nameOnRecord(view),
    to: renderServerName({ kind: 'releasing', clusterId, uuid: view.uuid() }),
  });
};

const isOnItsWayOut = ({ spec: { assignedName }, server }: HostView): boolean =>
  [server?.name, assignedName?.current, assignedName?.next].some((name) => name !== undefined && isReleasing(name));

const isReleasing = (name: string): boolean => parseServerName(name, [])?.kind === 'releasing';

/** That the releasing name was seen is noted with what is done under it. */
const seenAs = ({ name }: CloudServer, { assignedName }: MacHostSpec): Pick<MacHostSpec, 'assignedName'> =>
  assignedName?.next === name ? { assignedName: { current: name } } : {};

const isWipeRequested = ({ release, reinstall }: MacHostSpec): boolean =>
  release !== undefined && reinstall?.intentID === release.intentID;

/** A mistake of ours must not empty a fleet: past the limit wipes wait, and say so (R20). */
const askForWipe = (view: HostView, server: CloudServer): HostPlan => {
  const { spec, nowMs } = view;
  if (!isWipeRequested(spec) && isWipeLimitReached(view)) return awaitWipes(view.census().wipedLastHour, view);
  const reinstall = {
    intentID: spec.release?.intentID ?? '',
    requestedAt: toTimestamp(nowMs),
    ...earlierWipes(spec, nowMs),
  };
  return {
    do: 'reinstall',
    osFamily: spec.osFamily ?? server.osFamily,
    record: { ...seenAs(server, spec), reinstall, lastWrite: recordWrite(view, 'reinstall') },
  };
};

/** The plan to store that the wipe of this release has begun. */
export const acceptWipe = ({ spec, nowMs }: Pick<HostView, 'spec' | 'nowMs'>): HostPlan & { readonly do: 'store' } => ({
  do: 'store',
  spec: {
    reinstall: { intentID: '', requestedAt: '', ...spec.reinstall, acceptedAt: toTimestamp(nowMs) },
  },
});

/** Wiped and ready → pool name, or a quarantine name for one that keeps failing → a fresh record. */
export const planReturn = (view: HostView): HostPlan => {
  const { spec, server, node } = view;
  const next = spec.assignedName?.next;
  if (server?.status !== 'ready') return waitForWipe(view);
  if (node === 'there') return { do: 'delete-node' };
  if (next === undefined) return giveName(view, { from: nameOnRecord(view), to: nameAfterWipe(view) });
  return server.name === next ? { do: 'store', ...freshRecord(view, next) } : pursueName(view, next);
};

/** As long as Scaleway's own tools wait for one (F20). */
const WIPE_MAX_MS = 3_600_000;

/** One that takes too long is kept apart, if the pool can spare it; else it keeps its releasing name, and says so. */
const waitForWipe = (view: HostView): HostPlan => {
  const { spec, server, node, times } = view;
  const leftMs = wipeLeftMs(view);
  if (leftMs >= 0) return { do: 'wait', afterMs: Math.min(times.pollMs, leftMs + 1) };
  const reason = REASONS.host.ready.wipeStuck;
  const message = `its wipe began at ${spec.reinstall?.acceptedAt} and has not ended; at Scaleway it is ${server?.status ?? 'not seen'}: ask them, or release it with the policy terminate`;
  if (!canSpareOne(view.census())) return { do: 'wait', afterMs: times.pollMs, reason, message };
  return node === 'there' ? { do: 'delete-node' } : keepApart(view, { reason, message });
};

const wipeLeftMs = ({ spec, nowMs }: Pick<HostView, 'spec' | 'nowMs'>): number =>
  (parseTimestamp(spec.reinstall?.acceptedAt) ?? nowMs) + WIPE_MAX_MS - nowMs;

/**
 * A Mac that was last seen being installed is left to the list of all servers, which shows when that is over: hundreds that
 * are wiped at once would use up the requests that others need. Undefined: it has to be looked at.
 */
export const planWiping = ({
  sighting,
  ...view
}: Pick<HostView, 'spec' | 'nowMs'> & { readonly sighting: Sighting | undefined }): HostPlan | undefined => {
  if (sighting?.status !== 'reinstalling' || sighting.missingSince !== undefined) return undefined;
  const leftMs = wipeLeftMs(view);
  return leftMs >= 0 ? { do: 'wait', afterMs: leftMs + 1 } : undefined;
};

/** It counts as not wiped, whatever becomes of it: whoever releases it has it wiped again. No new configuration mends it. */
const keepApart = ({ nowMs }: HostView, told: { readonly reason: string; readonly message: string }): HostPlan => ({
  do: 'store',
  spec: {
    ...{ release: undefined, claimRef: undefined, hold: undefined, identity: undefined, rebootRequest: undefined },
    quarantine: { ...told, since: toTimestamp(nowMs) },
  },
  event: { type: 'Warning', ...told },
});

const nameAfterWipe = (view: HostView): string => {
  const { spec, clusterId } = view;
  return isForQuarantine(view)
    ? renderServerName({ kind: 'quarantine', clusterId, uuid: view.uuid() })
    : renderServerName({ kind: 'pool', prefix: spec.pool?.prefix ?? '', rest: view.uuid() });
};

const withoutAcceptance = ({ acceptedAt: _, ...asked }: Reinstall): Reinstall => asked;

/** What is left of a life once the Mac was wiped: how often it went back for failing, and when it was last wiped. */
const freshRecord = (view: HostView, name: string): Omit<HostPlan & { readonly do: 'store' }, 'do'> => {
  const { spec, nowMs, configHash } = view;
  const returns = returnsAfter(spec);
  const record: Changes<MacHostSpec> = {
    claimRef: undefined,
    assignedName: undefined,
    release: undefined,
    hold: undefined,
    quarantine: undefined,
    hostKey: undefined,
    identity: undefined,
    configuration: undefined,
    takenOver: undefined,
    rebootRequest: undefined,
    // That it was asked for counts on (R20); that it began is evidence for this release alone, whatever the next is called.
    ...(spec.reinstall && { reinstall: withoutAcceptance(spec.reinstall) }),
    // Nothing was sent after it was seen: from now on it is left alone for a while (R13).
    ...(spec.lastWrite && { lastWrite: { ...spec.lastWrite, at: toTimestamp(nowMs) } }),
    wipes: spec.wipes + 1,
    budgets: {
      bootstrap: { failures: 0 },
      reboots: { sinceClaim: 0, times: spec.budgets.reboots.times },
      returns,
      sudo: { tries: [] },
      roll: { failures: 0 },
    },
  };
  if (!isQuarantineName(name)) {
    const message = `wiped and back in its pool as ${name} (${spec.release?.intentID})`;
    return { spec: record, event: { type: 'Normal', reason: 'Released', message } };
  }
  const reason = spec.release?.reason ?? REASONS.host.ready.quarantined;
  const message = `went back ${returns} times in a row because it failed; the last time for ${reason}`;
  const quarantine = { reason, message, since: toTimestamp(nowMs), configHash };
  return {
    spec: { ...record, assignedName: { current: name }, quarantine },
    event: { type: 'Warning', reason: REASONS.host.ready.quarantined, message: `The Mac ${message}` },
  };
};

/**
 * Delete, or have it deleted as soon as the lease allows. A server that says when it may be deleted is not asked before; one
 * that refuses is scheduled (F06, F07), which the caller stores as the next write.
 */
export const planTerminate = (view: HostView): HostPlan => {
  const { spec, server, times, nowMs } = view;
  const halt = isOnItsWayOut(view) ? undefined : haltForWipes(view);
  if (halt !== undefined) return { do: 'wait', afterMs: times.pollMs * 6, ...halt };
  const unnamed = towardsReleasingName(view);
  if (unnamed !== undefined) return unnamed;
  if (server === undefined || server.isDeletionScheduled) return { do: 'wait', afterMs: times.pollMs * 6 };
  const isTooEarly = server.deletableAtMs !== undefined && server.deletableAtMs > nowMs;
  const verb = isTooEarly || spec.lastWrite?.verb === 'schedule-deletion' ? 'schedule-deletion' : 'delete';
  const write = { do: verb === 'delete' ? 'terminate' : 'schedule-deletion' } as const;
  return isRecordFresh(view, verb)
    ? write
    : { ...write, record: { ...seenAs(server, spec), lastWrite: recordWrite(view, verb) } };
};
