/** A mistake of ours must not empty a fleet: past so many wipes within the hour a pool is left alone, but for claims (R20). */
import { parseTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHostSpec } from '../../kinds/mac-host.ts';
import type { Halt, HostPlan, HostView } from './host-view.ts';

export const HOUR_MS = 3_600_000;

export type Reinstall = NonNullable<MacHostSpec['reinstall']>;

/** When the wipes of a Mac within the last hour were asked for; one that is asked for again, in doubt, is the same. */
export const wipesOf = ({ reinstall }: Pick<MacHostSpec, 'reinstall'>, nowMs: number): readonly string[] =>
  reinstall === undefined
    ? []
    : [...(reinstall.earlier ?? []), reinstall.requestedAt].filter((time) => isOfLastHour(time, nowMs));

/** What a Mac that is wiped for another release keeps of its wipes before. */
export const earlierWipes = (spec: MacHostSpec, nowMs: number): Pick<Reinstall, 'earlier'> => {
  const { reinstall, release } = spec;
  const isSame = reinstall?.intentID === release?.intentID;
  const earlier = isSame
    ? (reinstall?.earlier ?? []).filter((time) => isOfLastHour(time, nowMs))
    : wipesOf(spec, nowMs);
  return earlier.length === 0 ? {} : { earlier: earlier.slice(-EARLIER_MAX) };
};

/** As many as the record has room for. */
const EARLIER_MAX = 32;

const isOfLastHour = (time: string, nowMs: number): boolean => nowMs - (parseTimestamp(time) ?? 0) < HOUR_MS;

export const isWipeLimitReached = ({ limits, census }: Pick<HostView, 'limits' | 'census'>): boolean =>
  census().wipedLastHour >= limits.reinstallsPerHour;

/** What a Mac that is about to be wiped does past the limit. */
export const awaitWipes = (
  wipedLastHour: number,
  { limits, times }: Pick<HostView, 'limits' | 'times'>,
): HostPlan & { readonly do: 'wait' } => ({
  do: 'wait',
  afterMs: times.pollMs * 6,
  reason: REASONS.host.ready.reinstallLimitReached,
  message: `${wipedLastHour} wipes of this pool were asked for within the hour, and no more than ${limits.reinstallsPerHour} may be`,
});

/** What there is to say of a Mac that waits for it; undefined: it may go on. */
export const haltForWipes = (view: Pick<HostView, 'limits' | 'census'>): Halt | undefined =>
  isWipeLimitReached(view)
    ? {
        reason: REASONS.host.ready.reinstallLimitReached,
        message: `within the hour as many wipes of this pool were asked for as may be (${view.limits.reinstallsPerHour}): none is rebooted, wiped or changed`,
      }
    : undefined;
