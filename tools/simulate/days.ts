/**
 * What a hunt for a mutant begins with: the schedule that is on record for it, if there is one, and then days of a fleet that were made up by
 * hand, with ordinary trouble in few steps.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schedule } from '../../src/world/simulate/run-seed.ts';
import { parseSavedSchedule } from '../../src/world/simulate/saved-schedule.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'test', 'schedules');

export interface Day {
  /** Of its file, without the ending. */
  readonly name: string;
  readonly schedule: Schedule;
}

export const readDays = (mutant: string): readonly Day[] => {
  const own = `mutant-${mutant.toLowerCase()}.json`;
  const files = readdirSync(FOLDER).sort();
  const wanted = [...files.filter((file) => file === own), ...files.filter((file) => /^day-.*\.json$/.test(file))];
  return wanted.map((file) => ({
    name: file.replace(/\.json$/, ''),
    schedule: parseSavedSchedule(readFileSync(join(FOLDER, file), 'utf8')).schedule,
  }));
};
