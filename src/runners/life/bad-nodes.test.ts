import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createBadNodes } from './bad-nodes.ts';

const open = () => {
  const clock = createManualClock();
  return { clock, bad: createBadNodes(clock) };
};

describe('a Mac on which runners die (R14 of the runners)', () => {
  it('is avoided after three deaths in a row, which is said once', () => {
    const { bad } = open();
    assert.deepEqual(
      [1, 2, 3, 4].map(() => bad.died('mac-1')),
      [false, false, true, false],
    );
    bad.died('mac-2');
    assert.deepEqual(bad.list(), ['mac-1']);
  });

  it('is not when one ended well in between', () => {
    const { bad } = open();
    for (const _ of [1, 2]) bad.died('mac-1');
    bad.endedWell('mac-1');
    for (const _ of [1, 2]) bad.died('mac-1');
    assert.deepEqual(bad.list(), []);
  });

  it('is not when they died hours apart', () => {
    const { bad, clock } = open();
    for (const _ of [1, 2, 3]) {
      bad.died('mac-1');
      clock.advance(600_000);
    }
    assert.deepEqual(bad.list(), []);
  });

  it('is tried again after a quarter of an hour', () => {
    const { bad, clock } = open();
    for (const _ of [1, 2, 3]) bad.died('mac-1');
    clock.advance(14 * 60_000);
    assert.deepEqual(bad.list(), ['mac-1']);
    clock.advance(60_000);
    assert.deepEqual(bad.list(), []);
    assert.equal(bad.died('mac-1'), false);
  });
});
