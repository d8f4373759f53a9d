import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exclusiveClaim } from './properties/ownership.ts';
import {
  type BadWorld,
  changed,
  claimedHost,
  fakeTruth,
  HOST_ID,
  macHost,
  machine,
  PROVISIONED,
  RELEASE,
} from './properties/testing/hand-made.ts';
import { createTakenBack } from './taken-back.ts';
import type { Kinds } from './truth.ts';

const BY_HAND = { ...RELEASE, intentID: 'by-hand-1' };

/** From each record to the next. */
const losersOf = (...records: readonly Kinds['hosts'][]): readonly string[] => {
  const takenBack = createTakenBack();
  records.forEach((after, at) => {
    const before = records[at - 1];
    takenBack.hear({ kind: 'hosts', after, ...(before && { before }) });
  });
  return [...takenBack.from(HOST_ID)];
};

describe('a Mac that a person took back from its machine', () => {
  it('is one whose claim a release by hand has ended', () => {
    assert.deepEqual(losersOf(claimedHost(), claimedHost({ release: BY_HAND })), [], 'not before it is carried out');
    assert.deepEqual(losersOf(claimedHost(), claimedHost({ release: BY_HAND }), macHost()), ['uid-a']);
  });

  it('is none that was released by the manager, or whose claim was dropped', () => {
    assert.deepEqual(losersOf(claimedHost({ release: RELEASE }), macHost()), []);
    assert.deepEqual(losersOf(claimedHost(), macHost()), []);
  });

  it('is the machine’s again when that claims it', () => {
    assert.deepEqual(losersOf(claimedHost({ release: BY_HAND }), macHost(), claimedHost()), []);
  });

  it('001-2 may have another machine, although the paused one cannot be told', () => {
    const world: BadWorld = {
      machines: [machine('a', { status: PROVISIONED, paused: true })],
      other: { machines: [machine('b', { status: PROVISIONED })] },
      happenings: [changed('machines', machine('a', { status: PROVISIONED }))],
    };
    const judge = (given: BadWorld): string | undefined => {
      const { truth, happenings } = fakeTruth(given);
      return happenings.map((happening) => exclusiveClaim.judge()(happening(), truth)).at(-1);
    };
    assert.equal(judge({ ...world, takenBackFrom: ['uid-a'] }), undefined);
    assert.match(judge(world) ?? '', /has a and b/);
  });
});
