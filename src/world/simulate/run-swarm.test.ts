import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MACHINES } from '../../kinds/machine.ts';
import { renderSchedule } from './render-schedule.ts';
import { runSchedule, runSeed, type SeedOptions } from './run-seed.ts';
import { runSwarm } from './run-swarm.ts';
import { runSystematic } from './run-systematic.ts';
import { parseSavedSchedule, renderSavedSchedule } from './saved-schedule.ts';
import { SCENARIOS } from './scenarios.ts';
import { shrinkSeed } from './shrink-seed.ts';

/** Breaks a promise by itself, long after the fleet is at work: a second machine is told that it has the first one's Mac. */
const LIE: SeedOptions = {
  onWorld: ({ kernel, operator }) => {
    kernel.schedule(3_600_000, 'a lie', () => {
      const [first, second] = operator.list(MACHINES);
      const status = { serverID: first?.status?.serverID ?? '', initialization: { provisioned: true } };
      for (const machine of [first, second])
        if (machine !== undefined) operator.mergeStatus(MACHINES, machine.metadata.name, { status });
    });
  },
};

describe('the swarm', () => {
  it('keeps every promise in a few schedules, the first of which runs twice and is the same', async () => {
    const summary = await runSwarm({ firstSeed: 1, seeds: 2, cpuMs: () => 0, onViolation: () => undefined });
    assert.equal(summary.violations, 0);
    assert.equal(summary.schedules, 2);
    assert.ok(Object.keys(summary.marks).includes('sometimes: joined'));
  });

  it('ends with the promise that was broken, and says so as a table of steps', async () => {
    const result = await runSeed(4, LIE);
    assert.deepEqual(
      result.violations.map(({ property }) => property),
      ['S1'],
    );
    assert.match(renderSchedule(result), /S1 is broken: .+ has .+ and .+/);
  });

  it('replays what was recorded, from a file too, and stops shrinking when nothing fails any more', async () => {
    const first = await runSeed(4, LIE);
    const again = await runSchedule(first.schedule, LIE);
    assert.equal(again.hash, first.hash);
    const text = renderSavedSchedule({ story: 'a lie', broke: 'S1', schedule: first.schedule });
    const { schedule } = parseSavedSchedule(text);
    assert.equal((await runSchedule(schedule, LIE)).hash, first.hash);
    assert.equal((await shrinkSeed(first, 1)).hash, first.hash);
  });
});

describe('the systematic mode', () => {
  it('survives a sample of crashes and single faults', async () => {
    const { runs, violations } = await runSystematic({ scenarios: SCENARIOS.slice(0, 1), every: 150, everyCrash: 150 });
    assert.deepEqual(violations, []);
    assert.ok(runs > 3, `${runs} runs`);
  });
});
