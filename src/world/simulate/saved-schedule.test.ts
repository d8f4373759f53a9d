import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DISTURBANCES } from './disturbances.ts';
import type { Schedule } from './run-seed.ts';
import { parseSavedSchedule, renderSavedSchedule } from './saved-schedule.ts';
import { REPLAYED_NETWORK } from './swarm-profile.ts';

const SCHEDULE: Schedule = {
  profile: { mode: 'safety', managers: ['manager', 'rival'], machines: 2, network: REPLAYED_NETWORK, weights: [] },
  strikes: [{ atMs: 1_500, id: 'kill-manager', details: [1, 0] }],
  choices: {
    'fault cloud:PATCH by manager': [-12, 2, 1],
    'fault kube:body by rival': [1],
    'latency kube:GET by manager': [-3, 4],
  },
};

const FILE = { story: 'a lost answer', broke: 'S1', schedule: SCHEDULE };

describe('a saved schedule', () => {
  it('comes back from its file as it was', () => {
    assert.deepEqual(parseSavedSchedule(renderSavedSchedule(FILE)), FILE);
    assert.deepEqual(parseSavedSchedule(renderSavedSchedule({ ...FILE, mutant: 'N1' })).mutant, 'N1');
  });

  it('keeps what its Macs run', () => {
    const profile = { ...SCHEDULE.profile, agents: 'tart-kubelet', lease: 'brisk', tiers: 'off' } as const;
    const { schedule } = parseSavedSchedule(renderSavedSchedule({ ...FILE, schedule: { ...SCHEDULE, profile } }));
    assert.deepEqual(schedule.profile, profile);
  });

  it('names who met which fault at which call', () => {
    const { faults, choices } = JSON.parse(renderSavedSchedule(FILE));
    assert.deepEqual(faults, [
      { actor: 'manager', call: 'cloud:PATCH', number: 12, fault: 'fail-after' },
      { actor: 'manager', call: 'cloud:PATCH', number: 13, fault: 'fail-before' },
      { actor: 'rival', call: 'kube:body', number: 0, fault: 'cut' },
    ]);
    assert.deepEqual(Object.keys(choices), ['latency kube:GET by manager']);
  });

  it('keeps out what the faults were drawn by', () => {
    const profile = { ...SCHEDULE.profile, weights: [0.5], network: { default: { lateMs: 1 } } };
    const { schedule } = parseSavedSchedule(renderSavedSchedule({ ...FILE, schedule: { ...SCHEDULE, profile } }));
    assert.deepEqual(schedule, SCHEDULE);
  });

  const damaged = [
    { story: 'is no JSON', text: 'so what' },
    { story: 'knows no such fault', text: renderSavedSchedule(FILE).replace('fail-after', 'fail-sometime') },
    { story: 'lacks its disturbances', text: renderSavedSchedule(FILE).replace('strikes', 'strokes') },
  ];
  for (const { story, text } of damaged) {
    it(`that ${story} is refused`, () => assert.throws(() => parseSavedSchedule(text), { code: 'BadSchedule' }));
  }
});

it('every disturbance has a name of its own, by which schedules find it', () => {
  assert.equal(new Set(DISTURBANCES.map(({ id }) => id)).size, DISTURBANCES.length);
});
