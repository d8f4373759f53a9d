/** Replays recorded schedules. They are shared among several test files, because files run side by side. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runSchedule } from '../src/world/simulate/run-seed.ts';
import { parseSavedSchedule } from '../src/world/simulate/saved-schedule.ts';
import { runTasks } from '../tools/simulate/pool.ts';
import { MUTANTS } from './mutants/mutants.ts';

const FOLDER = join(import.meta.dirname, 'schedules');

/** By the beginnings of their names; the first that fits. */
const GROUPS = [
  ['days', 'day-'],
  ['mutants of the original, M', 'mutant-m'],
  ['mutants of the original, N', 'mutant-n'],
  ['mutants of the rules', 'mutant-r'],
  ['what was found in our own code', ''],
] as const;

export type ScheduleGroup = (typeof GROUPS)[number][0];

const groupOf = (name: string): ScheduleGroup | undefined =>
  GROUPS.find(([, beginning]) => name.startsWith(beginning))?.[0];

/** As many as `npm test` has time for; each needs a process with the mutant in it. */
const WITH_MUTANT = ['mutant-m15.json', 'mutant-n1.json', 'mutant-r15.json'];

const brokenWith = async (mutant: string, saved: string): Promise<readonly string[]> => {
  const broken: string[] = [];
  await runTasks([{ job: { do: 'replay', saved } as const, mutant }], {
    ...{ workers: 1, signal: new AbortController().signal },
    onLine: (line) => line.is === 'replay' && broken.push(...line.broken),
  });
  return broken;
};

const replay = (name: string): void => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const { story, broke, schedule, mutant } = parseSavedSchedule(text);
  it(`${name} ${broke === undefined ? 'breaks none' : `does not any more (${broke})`}: ${story}`, async () => {
    const { violations } = await runSchedule(schedule);
    assert.deepEqual(violations, []);
  });
  if (mutant === undefined || broke === undefined) return;
  it(`${name} names a mutant that must break that promise`, () => {
    assert.ok(MUTANTS.find(({ id }) => id === mutant)?.killedBy.includes(broke), `${mutant} ${broke}`);
  });
  if (!WITH_MUTANT.includes(name)) return;
  it(`${name} still breaks ${broke} with the mutant ${mutant}`, async () => {
    assert.deepEqual((await brokenWith(mutant, text)).slice(0, 1), [broke]);
  });
};

export const replayGroup = (group: ScheduleGroup): void => {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json') && groupOf(name) === group)
    .sort();
  describe(`each recorded schedule of: ${group}`, () => {
    for (const name of names) replay(name);
    it('are there', () => assert.ok(names.length > 0));
  });
};
