/**
 * How often work on a Mac says how far it is: a first word soon after its beginning, then now and then. Each word is a write
 * of the host's status, and an end is told at once anyway.
 */
import type { Clock } from '../../base/clock.ts';

const FIRST_MS = 1_500;
const EVERY_MS = 30_000;

export interface PacedProgress<P> {
  report(progress: P): void;
  /** Nothing is said any more. */
  stop(): void;
}

/** Of what is reported in between, only the latest is passed on. */
export const paceProgress = <P>(clock: Clock, passOn: (progress: P) => void): PacedProgress<P> => {
  let latest: { readonly progress: P } | undefined;
  let dueMs = clock.elapsed() + FIRST_MS;
  let cancel: (() => void) | undefined;
  const say = (): void => {
    cancel = undefined;
    if (latest === undefined) return;
    dueMs = clock.elapsed() + EVERY_MS;
    passOn(latest.progress);
    latest = undefined;
  };
  return {
    report: (progress) => {
      latest = { progress };
      cancel ??= clock.schedule(Math.max(dueMs - clock.elapsed(), 0), say);
    },
    stop: () => {
      cancel?.();
      latest = undefined;
    },
  };
};
