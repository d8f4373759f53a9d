/** The dispatcher, watched: how it has been answering of late, for the conditions of pools. */
import type { Clock } from '../base/clock.ts';
import { toFleetError } from '../base/errors.ts';
import type { Dispatcher } from '../dispatch/port/dispatcher.ts';
import { createStreak, type Streak } from './streak.ts';

export interface WatchedDispatcher extends Dispatcher {
  readonly state: Streak['state'];
}

const PATIENCE_MS = 60_000;

/** `onChange` is called when what there is to tell has changed. */
export const watchDispatcher = (inner: Dispatcher, clock: Clock, onChange: () => void): WatchedDispatcher => {
  const streak = createStreak(clock, PATIENCE_MS);
  const tale = (): string => `${typeof streak.state === 'string' ? streak.state : streak.state.code} ${inner.protocol}`;
  let told = tale();
  const watch = async <T>(asking: Promise<T>): Promise<T> => {
    try {
      const answer = await asking;
      streak.succeeded();
      return answer;
    } catch (thrown) {
      const error = toFleetError(thrown);
      if (error.kind !== 'cancelled') streak.failed(error);
      throw error;
    } finally {
      const now = tale();
      if (now !== told) {
        told = now;
        onChange();
      }
    }
  };
  return {
    get protocol() {
      return inner.protocol;
    },
    get state() {
      return streak.state;
    },
    signals: (fleet, signal) => watch(inner.signals(fleet, signal)),
    reportStop: (report, signal) => watch(inner.reportStop(report, signal)),
    drain: (runner, signal) => watch(inner.drain(runner, signal)),
    look: (runner, signal) => watch(inner.look(runner, signal)),
  };
};
