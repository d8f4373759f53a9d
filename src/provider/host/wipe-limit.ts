/** A mistake of ours must not empty a fleet: past so many wipes within the hour a pool is left alone, but for claims (R20). */
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { Halt, HostView } from './host-view.ts';

export const isWipeLimitReached = ({ limits, census }: Pick<HostView, 'limits' | 'census'>): boolean =>
  census().wipedLastHour >= limits.reinstallsPerHour;

/** What there is to say of a Mac that waits for it; undefined: it may go on. */
export const haltForWipes = (view: Pick<HostView, 'limits' | 'census'>): Halt | undefined =>
  isWipeLimitReached(view)
    ? {
        reason: REASONS.host.ready.reinstallLimitReached,
        message: `within the hour as many Macs of this pool were wiped as may be (${view.limits.reinstallsPerHour}): none is rebooted, wiped or changed`,
      }
    : undefined;
