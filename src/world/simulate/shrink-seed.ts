/** Makes a schedule that breaks a promise small enough to read: fewer disturbances, then fewer faults and delays. */
import { minimise } from '../../sim/kernel/minimise.ts';
import { shrinkChoices } from '../../sim/kernel/shrink-choices.ts';
import { runSchedule, type Schedule, type SeedResult } from './run-seed.ts';
import { NOTHING } from './strikes.ts';

/** Replays at most `triesMax` times. The shrunk schedule breaks the same promise, perhaps at another time; the first unless given. */
export const shrinkSeed = async (
  failed: SeedResult,
  triesMax: number,
  broken = failed.violations[0]?.property,
): Promise<SeedResult> => {
  let best = failed;
  let triesLeft = triesMax;
  const failsWith = async (part: Partial<Schedule>): Promise<boolean> => {
    if (triesLeft <= 0) return false;
    triesLeft -= 1;
    const schedule = { ...best.schedule, ...part };
    const result = await runSchedule(schedule, { eventsMax: 2 * failed.events + 10_000 });
    const isSame = result.violations.some(({ property }) => property === broken);
    if (isSame) best = { ...result, seed: failed.seed, schedule };
    return isSame;
  };
  await failsWith({ choices: {} });
  const { profile } = best.schedule;
  await failsWith({ profile: { ...profile, managers: profile.managers.slice(0, 1) } });
  const { strikes } = best.schedule;
  const struck = strikes.filter(({ id }) => id !== NOTHING);
  await minimise((await failsWith({ strikes: struck })) ? struck : strikes, (some) => failsWith({ strikes: some }));
  await shrinkChoices(best.schedule.choices, { failsWith: (choices) => failsWith({ choices }), triesMax: triesLeft });
  return best;
};
