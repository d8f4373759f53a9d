/** Makes a schedule that breaks a promise small enough to read. */
import type { ChoiceList } from '../../sim/kernel/choices.ts';
import { shrinkChoices } from '../../sim/kernel/shrink-choices.ts';
import { runSeed, type SeedResult } from './run-seed.ts';

export interface ShrunkSchedule {
  readonly choices: ChoiceList;
  /** The run of these choices. */
  readonly result: SeedResult;
}

/** Replays at most `triesMax` times. The shrunk schedule breaks the same promise, perhaps at another time. */
export const shrinkSeed = async (failed: SeedResult, triesMax: number): Promise<ShrunkSchedule> => {
  const broken = failed.violations[0]?.property;
  let best: ShrunkSchedule = { choices: failed.choices, result: failed };
  const failsWith = async (choices: ChoiceList): Promise<boolean> => {
    const result = await runSeed(failed.seed, { replay: choices, eventsMax: 2 * failed.events + 10_000 });
    const isSame = result.violations[0]?.property === broken;
    if (isSame) best = { choices, result };
    return isSame;
  };
  await shrinkChoices(failed.choices, { failsWith, triesMax });
  return best;
};
