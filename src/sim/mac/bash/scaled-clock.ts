/** A Mac's time, which runs faster than ours: a script that waits ten seconds need not keep anybody waiting. */
import type { Clock } from '../../../base/clock.ts';

/** `factor` seconds of the Mac pass in one of `clock`'s. */
export const scaleClock = (clock: Clock, factor: number): Clock => {
  const bornAt = clock.now();
  const bornElapsed = clock.elapsed();
  const lived = (): number => (clock.elapsed() - bornElapsed) * factor;
  return {
    now: () => bornAt + lived(),
    elapsed: lived,
    schedule: (delayMs, run) => clock.schedule(delayMs / factor, run),
  };
};
