/** Shows what happens in a fleet until what was asked for is reached, or until the person stops it. */
import { abortable, linkedController } from '../../base/abort.ts';
import { type Clock, sleep } from '../../base/clock.ts';
import { isKind } from '../../base/errors.ts';

export interface Following {
  readonly clock: Clock;
  /** The newest picture. */
  readonly render: () => string;
  /** Shows it: in place on a terminal, below the last one elsewhere. */
  readonly draw: (picture: string) => void;
  readonly isReached: () => boolean;
  /** Calls back when something that is shown may have changed. */
  readonly onChange: (run: () => void) => () => void;
  /** Settles early, or rejects, when the fleet itself ends. */
  readonly ended: Promise<void>;
}

/** Ten times a second is as much as a person sees; a large fleet changes a thousand times. */
const LOOK_EVERY_MS = 100;

export const followFleet = async (following: Following, signal: AbortSignal): Promise<'reached' | 'stopped'> => {
  const { clock, draw, isReached } = following;
  const watching = linkedController(signal);
  const reached = Promise.withResolvers<void>();
  let shown = '';
  const look = (): void => {
    const picture = following.render();
    if (picture !== shown) draw(picture);
    shown = picture;
    if (isReached()) reached.resolve();
  };
  let isDue = false;
  const lookSoon = (): void => {
    if (isDue) return;
    isDue = true;
    sleep(clock, LOOK_EVERY_MS, watching.signal).then(
      () => {
        isDue = false;
        look();
      },
      () => undefined,
    );
  };
  const stopLooking = following.onChange(lookSoon);
  try {
    await abortable(Promise.race([reached.promise, following.ended]), signal);
    return 'reached';
  } catch (error) {
    if (!signal.aborted || !isKind(error, 'cancelled')) throw error;
    return 'stopped';
  } finally {
    stopLooking();
    watching.abort();
  }
};
