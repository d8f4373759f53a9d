/**
 * Whose a Mac is. Absence never wipes (R15): a Mac whose machine vanished, was taken off by hand or lives on elsewhere is
 * held as it is, until a person says what becomes of it, its owner is back, or it goes home because an operator opted in (plan-reclaim.ts).
 */
import { toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { HostPlan, HostView, Owner } from './host-view.ts';
import { planReclaim } from './plan-reclaim.ts';

const { ownerVanished, detached, namespaceTerminating, moved } = REASONS.host.owned;

export const MOVED = {
  reason: moved,
  message: 'the machine lives on in another cluster, and its Mac with it',
} as const;

export const DETACHED = {
  reason: detached,
  message: 'the machine was paused and taken off this Mac by hand',
} as const;

const HOLDS: Readonly<Partial<Record<Owner, { readonly reason: string; readonly message: string }>>> = {
  gone: { reason: ownerVanished, message: 'the machine that had this Mac is gone and never asked for its release' },
  detached: DETACHED,
  moved: MOVED,
};

const OURS: ReadonlySet<string> = new Set([ownerVanished, detached, namespaceTerminating]);

/** Holds that follow from the owner, and end when it is back; those of people do not. */
export const isHoldOfOwner = (reason: string): boolean => OURS.has(reason);

/** Undefined: the owner is there, and work may go on. */
export const planOwner = (view: Pick<HostView, 'owner' | 'spec' | 'nowMs' | 'times'>): HostPlan | undefined => {
  const { owner, spec, nowMs, times } = view;
  if (owner === 'names-it') return undefined;
  if (owner === 'leaving') return { do: 'wait', afterMs: times.pollMs, message: 'its machine is being deleted' };
  const hold = HOLDS[owner];
  if (hold === undefined) return { do: 'report', message: 'its machine names another Mac, or others name this one' };
  return {
    do: 'store',
    spec: {
      hold: { ...hold, since: toTimestamp(nowMs), by: 'macfleet' },
      ...(owner === 'gone' ? { ownerLosses: withLoss(spec, nowMs) } : {}),
    },
    event: { type: 'Warning', ...hold },
  };
};

/** As many as its record has room for. */
const LOSSES_MAX = 32;

const withLoss = ({ ownerLosses = [] }: MacHostSpec, nowMs: number): readonly string[] =>
  [...ownerLosses, toTimestamp(nowMs)].slice(-LOSSES_MAX);

/** Undefined: nothing changes about its being held. */
export const planKeep = (view: HostView): HostPlan | undefined => {
  const { spec, owner } = view;
  const reason = spec.hold?.reason ?? '';
  if (spec.release !== undefined) {
    return {
      do: 'report',
      reason: REASONS.host.owned.noRightToWipe,
      message: 'it has no pool and was not ordered by us: it is neither wiped nor deleted, whoever asks',
    };
  }
  if (reason === moved) return { do: 'forget' };
  if (isHoldOfOwner(reason) && owner === 'names-it') return { do: 'store', spec: { hold: undefined } };
  return planReclaim(view);
};
