import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { planWave, type RollMember, type WaveView } from './plan-wave.ts';

const NOW = 10_000_000;
const SETTLE = 120_000;
const mac = (id: string, more: Partial<RollMember> = {}): RollMember => ({
  ...{ id, recorded: 'old', readySinceMs: 0, isPushing: false, hasGivenUp: false },
  ...more,
});
const done = (id: string, agoMs = SETTLE): RollMember => mac(id, { recorded: 'new', readySinceMs: NOW - agoMs });
const view = (members: readonly RollMember[]): WaveView => ({
  ...{ nowMs: NOW, desired: 'new', members, settleMs: SETTLE, fraction: 0.34 },
});

describe('which Macs may be changed now (004-3)', () => {
  const rows = [
    { story: 'none when all have it', members: [done('a'), done('b')], wave: { is: 'done' } },
    {
      story: 'one goes first',
      members: [mac('a'), mac('b'), mac('c')],
      wave: { is: 'going', may: ['a'], waitsFor: [] },
    },
    {
      story: 'one that does not work anyway goes first',
      members: [mac('a'), mac('b', { readySinceMs: undefined }), mac('c')],
      wave: { is: 'going', may: ['b'], waitsFor: [] },
    },
    {
      story: 'nobody follows while it is at work',
      members: [mac('a', { isPushing: true }), mac('b'), mac('c')],
      wave: { is: 'going', may: [], waitsFor: ['a'] },
    },
    {
      story: 'nobody follows before it has been well for a while',
      members: [done('a', SETTLE - 1), mac('b'), mac('c')],
      wave: { is: 'going', may: [], waitsFor: ['a'] },
    },
    {
      story: 'then a third of the fleet follows',
      members: [done('a'), mac('b'), mac('c'), mac('d'), mac('e'), mac('f')],
      wave: { is: 'going', may: ['b', 'c'], waitsFor: [] },
    },
    {
      story: 'one Mac that it broke halts the rest',
      members: [done('a'), mac('b', { hasGivenUp: true }), mac('c')],
      wave: { is: 'halted', because: ['b'] },
    },
    {
      story: 'and it goes on when that one got well',
      members: [done('a'), done('b'), mac('c')],
      wave: { is: 'going', may: ['c'], waitsFor: [] },
    },
  ];
  for (const { story, members, wave } of rows) it(story, () => assert.deepEqual(planWave(view(members)), wave));

  it('never lets more be unwell at once than a wave has', () => {
    const member = fc.record({
      recorded: fc.constantFrom('old', 'new'),
      readySinceMs: fc.constantFrom(undefined, 0, NOW - 1),
      isPushing: fc.boolean(),
      hasGivenUp: fc.constant(false),
    });
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 30 }), (fields) => {
        const members = fields.map((one, at) => ({ ...one, id: `m${at}` }));
        const wave = planWave(view(members));
        if (wave.is !== 'going') return;
        const size = Math.max(1, Math.floor(members.length * 0.34));
        assert.ok(wave.may.length === 0 || wave.may.length + wave.waitsFor.length <= size);
      }),
    );
  });
});
