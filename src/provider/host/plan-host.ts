/**
 * The next thing to do for a Mac: pure, from a view of everything that may matter. Whatever changes the server carries the
 * intent and the record of the request that are stored before it is sent (R11, R13).
 */
import { parseTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import { parseServerName } from '../../kinds/names.ts';
import { HOST_LIFE, hostStateOf, type Move, type Sight, sightName } from './host-life.ts';
import type { HostPlan, HostView } from './host-view.ts';
import { holdLeftMs, isPending, pendingNameOf } from './plan-claim.ts';
import { planKeep, planOwner } from './plan-owner.ts';
import { planReboot, planRecovery, planRequestedReboot, planSeclude } from './plan-recovery.ts';
import { planReturn, planTerminate, planWipe } from './plan-release.ts';
import { giveName, nameOnRecord, pursueName } from './recorded-write.ts';
import { haltForWipes } from './wipe-limit.ts';

export const planHost = (view: HostView): HostPlan => {
  const state = hostStateOf(view.spec, view.node);
  return PLANS[HOST_LIFE[state][sightOf(view)]](view);
};

const sightOf = ({ spec, server, isGone }: HostView): Sight => (isGone ? 'gone' : sightName(spec, server?.name));

const PLANS: Readonly<Record<Move, (view: HostView) => HostPlan>> = {
  rest: () => ({ do: 'rest' }),
  take: (view) => planTake(view),
  drop: (view) => planDrop(view),
  prepare: (view) => planPrepare(view),
  tend: (view) => planOwner(view) ?? planReboot(view) ?? planRequestedReboot(view) ?? planRoll(view),
  wipe: planWipe,
  return: planReturn,
  seclude: planSeclude,
  terminate: planTerminate,
  keep: (view) => planKeep(view) ?? (view.server === undefined ? planReport(view) : { do: 'rest' }),
  forget: (view) => planForget(view),
  report: (view) => planReport(view),
};

/** It is looked at again: one that Scaleway does not show may be gone, which takes a second look (R19). */
const planReport = (view: HostView): HostPlan => ({ do: 'report', message: describeMismatch(view) });

const planRoll = (view: HostView): HostPlan => {
  const { isTurnToRoll, server, times } = view;
  if (!isTurnToRoll) return { do: 'rest' };
  const halt = haltForWipes(view);
  if (halt !== undefined) return { do: 'wait', afterMs: times.pollMs * 6, ...halt };
  return server?.status === 'ready' ? { do: 'roll' } : { do: 'wait', afterMs: times.pollMs };
};

const describeMismatch = ({ spec, server }: HostView): string =>
  server === undefined
    ? 'Scaleway does not show the server'
    : `the server is named "${server.name}", expected "${spec.assignedName?.next ?? spec.assignedName?.current}": nothing is done to it before it has that name again`;

/** The record stays as long as a machine names it: the machine learns from it that its Mac is gone. */
const planForget = ({ isGone, owner }: HostView): HostPlan =>
  isGone && owner === 'names-it'
    ? { do: 'report', reason: REASONS.host.serverFound.gone, message: 'the server is gone: deleted at Scaleway' }
    : { do: 'forget' };

/** One that we rented has no pool to go back to: somebody gave it another name, and says what becomes of it. */
const planDrop = (view: HostView): HostPlan =>
  view.spec.ordered
    ? { do: 'report', message: describeMismatch(view) }
    : { do: 'store', spec: { claimRef: undefined, assignedName: undefined } };

/** The part of plan-claim.ts that takes a look; also for records that have no intent yet, or one of an earlier release. */
const planTake = (view: HostView): HostPlan => {
  const { spec, server, owner } = view;
  const name = spec.assignedName;
  if (name === undefined && owner !== 'names-it') return { do: 'store', spec: { claimRef: undefined } };
  const disowned = planUnclaim(view) ?? planOwner(view);
  if (disowned !== undefined) return disowned;
  // Nothing was done to the Mac yet: a Node of this name on it is of an earlier life (a restored etcd brings one back).
  if (view.node === 'there') return { do: 'delete-node' };
  const from = nameOnRecord(view);
  if (name === undefined) {
    return giveName(view, { from, to: pendingNameOf(spec.claimRef?.uid ?? '') });
  }
  // That it was seen goes on record with this pass, and the name is held from then on.
  if (name.next !== undefined && name.next === server?.name && isPending(name.next))
    return { do: 'wait', afterMs: view.times.claimHoldMs };
  if (name.next !== undefined) return pursueName(view, name.next);
  if (parseServerName(server?.name ?? '', [])?.kind === 'ordered') return planOrdered(view);
  if (!isPending(server?.name ?? '')) return { do: 'report', message: describeMismatch(view) };
  const leftMs = holdLeftMs(view, spec.lastWrite?.at);
  return leftMs > 0 ? { do: 'wait', afterMs: leftMs } : giveName(view, { from, to: spec.claimRef?.name ?? '' });
};

/**
 * A claim that its machine does not name, or that lost its machine, is dropped while the server has its pool name (R5); the
 * rename that is on record with it may have been sent, and is waited for until it cannot come any more (R13).
 */
const planUnclaim = (view: HostView): HostPlan | undefined => {
  const { spec, server, owner, nowMs, times } = view;
  if ((owner !== 'does-not' && owner !== 'gone') || sightName(spec, server?.name) !== 'pool') return undefined;
  const leftMs = (parseTimestamp(spec.lastWrite?.at) ?? 0) + times.quietMs - nowMs;
  return leftMs > 0 ? { do: 'wait', afterMs: leftMs, message: 'nobody names it any more' } : planDrop(view);
};

/** No other cluster can take what has our name from its first moment on: nothing is held before the final one (R25). */
const planOrdered = (view: HostView): HostPlan => {
  const { spec, server, times } = view;
  if (server?.isDelivered === true && server.status === 'ready')
    return giveName(view, { from: nameOnRecord(view), to: spec.claimRef?.name ?? '' });
  const message = `ordered as ${server?.name}, and not delivered yet: it is ${server?.status}`;
  return { do: 'wait', afterMs: times.pollMs, reason: REASONS.host.ready.ordering, message };
};

const planPrepare = (view: HostView): HostPlan => {
  const { server, times } = view;
  const next = planOwner(view) ?? planReboot(view) ?? planRequestedReboot(view) ?? planRecovery(view);
  if (next !== undefined) return next;
  return server?.status === 'ready' ? { do: 'prepare' } : { do: 'wait', afterMs: times.pollMs };
};

/** Whether a machine may claim it: free, seen ready under its pool name, and nothing sent to it lately (R3, R13). */
export const isClaimable = (
  host: {
    readonly spec: MacHostSpec;
    readonly serverName: string | undefined;
    readonly serverStatus: string | undefined;
  },
  { nowMs, times }: Pick<HostView, 'nowMs' | 'times'>,
): boolean => {
  const { spec, serverName, serverStatus } = host;
  const lastWriteMs = parseTimestamp(spec.lastWrite?.at);
  return (
    hostStateOf(spec, 'absent') === 'free' &&
    sightName(spec, serverName) === 'pool' &&
    serverStatus === 'ready' &&
    (lastWriteMs === undefined || nowMs - lastWriteMs >= times.quietMs)
  );
};
