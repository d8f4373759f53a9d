/** The time that a guest has for its end: how much of it a Pod has left, and the same as a limit that may be made shorter while it is used. */
import { abortable, linkedController } from '../../base/abort.ts';
import { type Clock, parseTimestamp } from '../../base/clock.ts';
import { FleetError } from '../../base/errors.ts';
import type { Pod } from '../../kube/types/pod.ts';
import type { StopReason } from './journal-entry.ts';
import type { Wish } from './plan-pod.ts';

const DEFAULT_SECONDS = 30;
/** launchd waits twenty seconds for whoever it has told to stop, and the end has to be told too. */
const LEAVING_MS = 8_000;
/** However long the hook took, the guest has this long to shut down; kubelet's figure. */
export const LAST_GRACE_MS = 2_000;

export interface Ending {
  readonly wish: Wish;
  readonly pod: Pod | undefined;
  /** The stop that is under way, or just begins. */
  readonly stopped: StopReason;
  readonly nowMs: number;
}

/**
 * How much is left of the grace. A deletion counts from when it was asked for, and a second one may shorten it; any other end counts from when
 * it began, in whatever life of the agent. Who has a grace at all is asked to shut down, however late it is and whatever the clocks say. Pure.
 */
export const graceLeftMs = ({ wish, pod, stopped, nowMs }: Ending): number => {
  if (wish === 'gone' || wish === 'done') return 0;
  if (wish === 'leaving') return Math.min(LEAVING_MS, wholeGraceMs(pod, stopped));
  const wholeMs = wholeGraceMs(pod, stopped);
  const endsMs = parseTimestamp(pod?.metadata.deletionTimestamp) ?? (stopped.sinceMs ?? nowMs) + wholeMs;
  return Math.min(wholeMs, Math.max(endsMs - nowMs, LAST_GRACE_MS));
};

const wholeGraceMs = (pod: Pod | undefined, { graceSeconds }: StopReason): number => {
  const asked = pod?.metadata.deletionGracePeriodSeconds;
  return (asked ?? graceSeconds ?? pod?.spec.terminationGracePeriodSeconds ?? DEFAULT_SECONDS) * 1_000;
};

export interface GraceLimit {
  /** What is done, for errors. */
  readonly doing: string;
  /** It has so long from now on, however little is left. */
  readonly atLeastMs?: number;
  readonly signal: AbortSignal;
}

export interface Grace {
  leftMs(): number;
  /** Never makes it longer. */
  shortenTo(leftMs: number): void;
  /** Gives up on the work when the grace is over: then it rejects with `unavailable`. */
  within<T>(limit: GraceLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

export const createGrace = (clock: Clock, graceMs: number): Grace => {
  let untilMs = clock.elapsed() + graceMs;
  const limits = new Set<() => void>();
  const leftMs = (): number => Math.max(0, untilMs - clock.elapsed());
  return {
    leftMs,
    shortenTo: (ms) => {
      if (ms >= leftMs()) return;
      untilMs = clock.elapsed() + ms;
      for (const set of limits) set();
    },
    within: async ({ doing, atLeastMs = 0, signal }, work) => {
      const linked = linkedController(signal);
      const leastMs = clock.elapsed() + atLeastMs;
      let cancel = (): void => undefined;
      const set = (): void => {
        cancel();
        const inMs = Math.max(leftMs(), leastMs - clock.elapsed(), 0);
        cancel = clock.schedule(inMs, () => linked.abort(graceIsOver(doing)));
      };
      limits.add(set);
      set();
      try {
        return await abortable(work(linked.signal), linked.signal);
      } finally {
        limits.delete(set);
        cancel();
        linked.release();
      }
    },
  };
};

const graceIsOver = (doing: string): FleetError =>
  new FleetError('unavailable', { code: 'DeadlineExceeded', message: `${doing} took longer than the grace` });
