/** Looks at a fleet whenever something happens in it, until what was asked for is reached, or until the person stops it. */
import { abortable, linkedController } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';

export interface Following {
  readonly clock: Clock;
  /** Looks, and shows what is new. */
  readonly look: () => void;
  readonly isReached: () => boolean;
  /** Calls back when something that is shown may have changed. */
  readonly onChange: (run: () => void) => () => void;
  /** Looks so often although nothing happened: ages are shown, which change by themselves. */
  readonly lookEveryMs?: number;
  /** How long it may take; for ever unless given. */
  readonly timeoutMs?: number;
  /** Settles early, or rejects, when the fleet itself ends. */
  readonly ended: Promise<void>;
}

/** Ten times a second is as much as a person sees; a large fleet changes a thousand times. */
const LOOK_AFTER_MS = 100;
/** A look at a large fleet takes longer: between two of them so many times as long is left to the fleet, within reason. */
const LOOK_PAUSES = 10;
const LOOK_AFTER_MAX_MS = 1_000;

export const followFleet = async (
  following: Following,
  signal: AbortSignal,
): Promise<'reached' | 'stopped' | 'too late'> => {
  const { clock, isReached, lookEveryMs, timeoutMs } = following;
  const watching = linkedController(signal);
  const reached = Promise.withResolvers<'reached'>();
  let lookedForMs = 0;
  const look = (): void => {
    const startedMs = clock.elapsed();
    following.look();
    if (isReached()) reached.resolve('reached');
    lookedForMs = clock.elapsed() - startedMs;
  };
  const untilLook = (): number => Math.max(LOOK_AFTER_MS, Math.min(lookedForMs * LOOK_PAUSES, LOOK_AFTER_MAX_MS));
  const lookSoon = createSoon(() => sleep(clock, untilLook(), watching.signal), look);
  const stopLooking = following.onChange(lookSoon);
  const stopTicking = lookEveryMs === undefined ? () => undefined : tick(clock, lookEveryMs, lookSoon);
  const late = new Promise<'too late'>((resolve) => {
    if (timeoutMs !== undefined) sleep(clock, timeoutMs, watching.signal).then(() => resolve('too late'), ignore);
  });
  const ended = following.ended.then(() => 'reached' as const);
  try {
    return await abortable(Promise.race([reached.promise, ended, late]), signal);
  } catch (error) {
    if (!signal.aborted || !isKind(error, 'cancelled')) throw error;
    return 'stopped';
  } finally {
    stopLooking();
    stopTicking();
    watching.abort();
  }
};

const ignore = (): void => undefined;

/** Many calls while it waits are one. */
const createSoon = (wait: () => Promise<void>, run: () => void): (() => void) => {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    wait().then(() => {
      isDue = false;
      run();
    }, ignore);
  };
};

const tick = (clock: Clock, everyMs: number, run: () => void): (() => void) => {
  let cancel = (): void => undefined;
  const again = (): void => {
    cancel = clock.schedule(everyMs, () => {
      run();
      again();
    });
  };
  again();
  return () => cancel();
};
