import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { planWave, type RollMember, type WaveView } from './plan-wave.ts';

const NOW = 10_000_000;
const SETTLE = 120_000;
const mac = (id: string, more: Partial<RollMember> = {}): RollMember => ({
  ...{ id, wanted: 'new', recorded: 'old', readySinceMs: 0 },
  ...{ isJoined: true, isPushing: false, hasFailed: false, hasGivenUp: false },
  ...more,
});
const done = (id: string, agoMs = SETTLE): RollMember => mac(id, { recorded: 'new', readySinceMs: NOW - agoMs });
const view = (members: readonly RollMember[]): WaveView => ({
  ...{ nowMs: NOW, members, settleMs: SETTLE, fraction: 0.34 },
});
const large = (id: string, more: Partial<RollMember> = {}): RollMember => mac(id, { wanted: 'large', ...more });
/** One whose Node is away for long: it is being prepared anew. */
const ill = (id: string, more: Partial<RollMember> = {}): RollMember =>
  mac(id, { readySinceMs: undefined, isJoined: false, ...more });

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
      story: 'one that it failed on is tried again before another one is',
      members: [mac('a'), mac('b', { readySinceMs: undefined }), mac('c', { hasFailed: true })],
      wave: { is: 'going', may: ['c'], waitsFor: [] },
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
      story: 'nor in a fleet that is large enough for a wave of several',
      members: [done('a', SETTLE - 1), mac('b'), mac('c'), mac('d'), mac('e'), mac('f')],
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
    {
      story: 'one that is to be different from its fleet gets its turn when the others are as they are wanted',
      members: [done('a'), done('b'), mac('c', { wanted: 'large' })],
      wave: { is: 'going', may: ['c'], waitsFor: [] },
    },
    {
      story: 'none when each has what is wanted on it',
      members: [done('a'), done('b'), mac('c', { wanted: 'large', recorded: 'large' })],
      wave: { is: 'done' },
    },
    {
      story: 'what is wanted on others is proven by none of them: one goes first with it, beside the others',
      members: [done('a'), large('b'), large('c'), mac('d'), mac('e'), mac('f'), mac('g'), mac('h'), mac('i')],
      wave: { is: 'going', may: ['b', 'd', 'e'], waitsFor: [] },
    },
    {
      story: 'nobody follows it before it has been well for a while, and the others go on',
      members: [done('a'), large('b', { isPushing: true }), large('c'), mac('d'), mac('e'), mac('f')],
      wave: { is: 'going', may: ['d'], waitsFor: ['b'] },
    },
    {
      story: 'one goes first in the whole fleet, however many configurations are wanted in it',
      members: [mac('a'), large('b'), mac('c', { wanted: 'small' }), mac('d'), mac('e'), mac('f')],
      wave: { is: 'going', may: ['a'], waitsFor: [] },
    },
    {
      story: 'one that fell ill before takes no turn from the others: it gets the new one when it is prepared',
      members: [mac('a'), mac('b'), ill('c')],
      wave: { is: 'going', may: ['a'], waitsFor: [] },
    },
    {
      story: 'one that fell ill with the new one is waited for',
      members: [ill('a', { recorded: 'new' }), mac('b'), mac('c')],
      wave: { is: 'going', may: [], waitsFor: ['a'] },
    },
    {
      story: 'one that fell ill after the new one failed on it is waited for',
      members: [mac('a'), ill('b', { hasFailed: true }), mac('c')],
      wave: { is: 'going', may: [], waitsFor: ['b'] },
    },
    {
      story: 'one that was given up halts the rest though it fell ill',
      members: [mac('a'), ill('b', { hasFailed: true, hasGivenUp: true }), mac('c')],
      wave: { is: 'halted', because: ['b'] },
    },
  ];
  for (const { story, members, wave } of rows) it(story, () => assert.deepEqual(planWave(view(members)), wave));

  it('never lets more be unwell at once than a wave has', () => {
    const member = fc.record({
      wanted: fc.constantFrom('new', 'large'),
      recorded: fc.constantFrom('old', 'new', 'large'),
      readySinceMs: fc.constantFrom(undefined, 0, NOW - 1),
      isJoined: fc.boolean(),
      isPushing: fc.boolean(),
      hasFailed: fc.boolean(),
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

  it('lets every Mac have its turn, and never two with what no Mac has been well with', () => {
    const member = fc.record({ wanted: fc.constantFrom('new', 'large', 'small'), recorded: fc.constant('old') });
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 30 }), (fields) => {
        let members = fields.map((one, at) => mac(`m${at}`, one));
        for (let turns = 0; members.some(({ wanted, recorded }) => wanted !== recorded); turns += 1) {
          const wave = planWave(view(members));
          assert.ok(wave.is === 'going' && wave.may.length > 0 && turns < members.length, JSON.stringify(wave));
          const chosen = members.filter(({ id }) => wave.may.includes(id));
          const isProven = (hash: string): boolean => members.some(({ recorded }) => recorded === hash);
          const first = chosen.map(({ wanted }) => wanted).filter((hash) => !isProven(hash));
          assert.equal(new Set(first).size, first.length, first.join());
          members = members.map((one) => (chosen.includes(one) ? { ...one, recorded: one.wanted } : one));
        }
        assert.deepEqual(planWave(view(members)), { is: 'done' });
      }),
    );
  });
});
