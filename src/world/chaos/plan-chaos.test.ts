import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FAULT_IDS } from '../../sim/cloud/faults.ts';
import { type Blow, planChaos } from './plan-chaos.ts';

const OPTIONS = { seed: 7, durationMs: 60_000, macs: 5, machines: 4 };

describe('a plan of chaos', () => {
  it('is the same for the same seed, and another for another', () => {
    assert.deepEqual(planChaos(OPTIONS), planChaos(OPTIONS));
    assert.notDeepEqual(planChaos(OPTIONS), planChaos({ ...OPTIONS, seed: 8 }));
  });

  it('is in the order of its times, within what was asked for, and holds every kind of blow', () => {
    const plan = planChaos(OPTIONS);
    const times = plan.map(({ atMs }) => atMs);
    assert.deepEqual(
      times,
      times.toSorted((left, right) => left - right),
    );
    assert.ok(times.every((atMs) => atMs > 0 && atMs < OPTIONS.durationMs));
    const kinds = new Set(plan.map(({ blow }): Blow['do'] => blow.do));
    const all: readonly Blow['do'][] = ['kill', 'scale', 'cloud', 'seal', 'wedge-pf', 'cut-ssh', 'drop-connections'];
    assert.deepEqual([...kinds].toSorted(), all.toSorted());
  });

  it('names only Macs that are there, counts that may be wanted, and faults that the cloud knows', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      for (const { blow } of planChaos({ ...OPTIONS, seed })) {
        if ('mac' in blow) assert.ok(blow.mac >= 0 && blow.mac < OPTIONS.macs);
        if (blow.do === 'scale') assert.ok(blow.machines >= 0 && blow.machines <= OPTIONS.machines);
        if (blow.do === 'cloud') assert.ok(FAULT_IDS.includes(blow.fault), blow.fault);
      }
    }
  });
});
