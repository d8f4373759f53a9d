import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeWait } from './describe-wait.ts';
import type { RollMember, Wave } from './plan-wave.ts';

const WANTED = '0123456789abcdef';
const member = (id: string, more: Partial<RollMember> = {}): RollMember => ({
  ...{ id, wanted: WANTED, recorded: 'old', readySinceMs: 0 },
  ...{ isJoined: true, isPushing: false, hasFailed: false, hasGivenUp: false },
  ...more,
});
const GOING: Wave = { is: 'going', may: [], waitsFor: ['a'] };
const TURN =
  'waits for its turn to get the configuration 0123456789ab: its fleet is changed in waves, and none begins while a Mac of the last one is not well';
const haltedBy = (id: string): string =>
  `waits to get the configuration 0123456789ab: the roll of its fleet is halted, because ${id} could not be changed`;
const failed = [member('a', { hasFailed: true })];

describe('what a Mac says that waits to be changed', () => {
  const rows: readonly { story: string; wave: Wave; members?: readonly RollMember[]; told?: string; says: string }[] = [
    { story: 'that it waits for its turn', wave: GOING, says: TURN },
    { story: 'the same with every wave', wave: { is: 'going', may: ['c'], waitsFor: [] }, told: TURN, says: TURN },
    { story: 'who halts the roll', wave: { is: 'halted', because: ['a', 'b'] }, told: TURN, says: haltedBy('a') },
    {
      story: 'the same while that one is tried again',
      ...{ wave: GOING, members: failed, told: haltedBy('a'), says: haltedBy('a') },
    },
    {
      story: 'the same when another one fails too',
      wave: { is: 'halted', because: ['0', 'a'] },
      members: [...failed, member('0', { hasFailed: true })],
      ...{ told: haltedBy('a'), says: haltedBy('a') },
    },
    {
      story: 'that it waits for its turn when that one has been changed',
      ...{ wave: GOING, members: [member('a')], told: haltedBy('a'), says: TURN },
    },
  ];
  for (const { story, wave, members = [], told = '', says } of rows)
    it(story, () => assert.equal(describeWait({ wanted: WANTED, wave, members, told }), says));
});
