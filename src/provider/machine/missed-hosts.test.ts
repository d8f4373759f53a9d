import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMachine } from '../../kinds/machine.ts';
import { createCompleteLists } from '../host/complete-lists.ts';
import { createMissedHosts } from './missed-hosts.ts';

const machine = (serverID: string) =>
  parseMachine({ metadata: { name: 'mac-1', namespace: 'ci', uid: 'uid-1' }, spec: {}, status: { serverID } });

const start = () => {
  const now = { ms: 1_000 };
  const lists = createCompleteLists();
  const missed = createMissedHosts({ elapsed: () => now.ms }, lists);
  const { zone } = machine('a').spec;
  return {
    missed,
    /** A list is asked for and completed at that time, and the machine looks again. */
    listAt: (ms: number, serverId = 'a'): boolean => {
      now.ms = ms;
      lists.note(zone, ms);
      return missed.isLostFor(machine(serverId));
    },
    lookAt: (ms: number): boolean => {
      now.ms = ms;
      return missed.isLostFor(machine('a'));
    },
    noteEarlier: (ms: number): void => lists.note(zone, ms),
  };
};

describe('R19 a Mac whose record is missing', () => {
  it('is lost after two complete lists, half a minute apart', () => {
    const { listAt, lookAt } = start();
    assert.equal(lookAt(1_000), false);
    assert.equal(listAt(5_000), false);
    assert.equal(listAt(34_999), false);
    assert.equal(listAt(35_000), true);
  });

  it('is not lost however long no list is complete', () => {
    const { lookAt } = start();
    assert.equal(lookAt(1_000), false);
    assert.equal(lookAt(86_400_000), false);
  });

  it('is not judged by a list from before it was missed', () => {
    const { noteEarlier, lookAt, listAt } = start();
    noteEarlier(500);
    assert.equal(lookAt(1_000), false);
    assert.equal(listAt(40_000), false);
    assert.equal(listAt(70_000), true);
  });

  it('begins anew for another Mac, and when it was there in between', () => {
    const { missed, lookAt, listAt } = start();
    lookAt(1_000);
    listAt(5_000);
    assert.equal(listAt(40_000, 'b'), false);
    assert.equal(listAt(70_000, 'b'), true);
    missed.forget(machine('b'));
    assert.equal(listAt(100_000, 'b'), false);
  });
});
