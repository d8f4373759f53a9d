import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runSchedule } from '../src/world/simulate/run-seed.ts';
import { parseSavedSchedule } from '../src/world/simulate/saved-schedule.ts';
import { runTasks } from '../tools/simulate/pool.ts';
import { MUTANTS } from './mutants/mutants.ts';

const FOLDER = join(import.meta.dirname, 'schedules');

const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }));

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

describe('each recorded schedule', () => {
  for (const { name, text } of files) {
    const { story, broke, schedule, mutant } = parseSavedSchedule(text);
    it(`${name} ${broke === undefined ? 'breaks none' : `does not any more (${broke})`}: ${story}`, async () => {
      const { violations } = await runSchedule(schedule);
      assert.deepEqual(violations, []);
    });
    if (mutant === undefined || broke === undefined) continue;
    it(`${name} names a mutant that must break that promise`, () => {
      assert.ok(MUTANTS.find(({ id }) => id === mutant)?.killedBy.includes(broke), `${mutant} ${broke}`);
    });
    if (!WITH_MUTANT.includes(name)) continue;
    it(`${name} still breaks ${broke} with the mutant ${mutant}`, async () => {
      assert.deepEqual((await brokenWith(mutant, text)).slice(0, 1), [broke]);
    });
  }

  it('are there', () => assert.ok(files.length > 0));
});
