/** How far a pull has got, as often as it is worth a write of the Pod's status: by quarters, and those of a quick one never. */
import type { Clock } from '../../base/clock.ts';

const STEP_PERCENT = 25;
const TELL_EVERY_MS = 30_000;

/** Counts from now. The end is not told: what comes after it is. */
export const tellBySteps = (clock: Clock, tell: (percent: number) => void): ((percent: number) => void) => {
  let toldMs = clock.elapsed();
  let told = 0;
  return (percent) => {
    const step = Math.floor(percent / STEP_PERCENT) * STEP_PERCENT;
    const isNews = step > told && step < 100;
    if (!isNews || clock.elapsed() - toldMs < TELL_EVERY_MS) return;
    [told, toldMs] = [step, clock.elapsed()];
    tell(step);
  };
};
