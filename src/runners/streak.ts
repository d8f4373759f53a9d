/** Trouble that lasts. One failed call is nothing to tell people; a minute without a good one is. */
import type { Clock } from '../base/clock.ts';
import type { FleetError } from '../base/errors.ts';

export interface Streak {
  succeeded(): void;
  failed(error: FleetError): void;
  /** What lasts: `untried` before the first call, `good`, or the error that is there for long enough. */
  readonly state: 'untried' | 'good' | FleetError;
}

export const createStreak = (clock: Clock, patienceMs: number): Streak => {
  let sinceMs: number | undefined;
  let state: Streak['state'] = 'untried';
  return {
    succeeded: () => {
      sinceMs = undefined;
      state = 'good';
    },
    failed: (error) => {
      sinceMs ??= clock.elapsed();
      if (clock.elapsed() - sinceMs >= patienceMs) state = error;
    },
    get state() {
      return state;
    },
  };
};
