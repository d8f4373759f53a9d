/**
 * What an operator may opt in to (004-8): the Mac of a machine that vanished is given back by itself. Absence alone never wipes (R15), so
 * it has to be the absence of one: machines that vanish together went with a backup, a kind or a hand that slipped, and wait for a person.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { HostPlan, HostView } from './host-view.ts';

/** Undefined: it is held like any other. */
export const planReclaim = (view: HostView): HostPlan | undefined => {
  const { spec, nowMs, limits } = view;
  const { hold, claimRef } = spec;
  if (limits.reclaim === undefined || hold === undefined || !isForReclaim(view)) return undefined;
  const dueMs = (parseTimestamp(hold.since) ?? nowMs) + limits.reclaim.afterMs;
  if (nowMs < dueMs) {
    const message = `held: ${hold.message}; it is wiped and put back by itself at ${toTimestamp(dueMs)}`;
    return { do: 'wait', afterMs: dueMs - nowMs, reason: hold.reason, message };
  }
  const { reclaimed } = REASONS.host.owned;
  const message = `its machine ${claimRef?.namespace}/${claimRef?.name} has been gone since ${hold.since}: it is wiped and put back, as --orphan-reclaim-claim-name-prefix says`;
  return {
    do: 'store',
    spec: { release: { intentID: view.uuid(), policy: 'pool', reason: reclaimed, requestedAt: toTimestamp(nowMs) } },
    event: { type: 'Warning', reason: reclaimed, message },
  };
};

/**
 * Held by us, of a pool, whose machine the API itself does not have (observeOwner), and which nobody but it lost. A Cluster that is gone, made
 * anew or frozen may have been moved, with its machine (R17): then its Macs wait for a person.
 */
const isForReclaim = ({ spec: { hold, claimRef, pool }, owner, isClusterActive, limits, census }: HostView): boolean =>
  hold?.reason === REASONS.host.owned.ownerVanished &&
  hold.by === 'macfleet' &&
  owner === 'gone' &&
  isClusterActive &&
  pool !== undefined &&
  claimRef?.name.startsWith(limits.reclaim?.claimPrefix ?? '') === true &&
  census().vanishedTogether <= 1;
