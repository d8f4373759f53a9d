import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTimestamp } from '../../base/clock.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import type { RunnerPool } from '../../kinds/runner-pool.ts';
import { poolWith } from '../testing/runner-pods.ts';
import { createRivals } from './rivals.ts';

const KEY = 'tuist-runners/ci';

const open = () => {
  const clock = createManualClock();
  const rivals = createRivals(clock);
  const look = (creating: readonly string[], conditions: NonNullable<RunnerPool['status']>['conditions'] = []) => {
    const told = rivals.look({ ...poolWith(), status: { creating: [...creating], conditions } });
    return told && `${told.status} ${told.reason}`;
  };
  const toldAt = (ms: number) => [
    {
      ...({ type: 'SoleController', status: 'False', reason: 'AnotherController', message: '' } as const),
      lastTransitionTime: toTimestamp(ms),
    },
  ];
  return { clock, rivals, look, toldAt };
};

describe('another controller of a pool', () => {
  it('is known by a name on record that this one did not give', () => {
    const { rivals, look } = open();
    look([]);
    rivals.announce(KEY, ['a', 'b']);
    assert.equal(look(['a', 'b']), undefined);
    assert.equal(look(['a', 'c']), 'False AnotherController');
  });

  it('is not one that was before this one, nor this one before a write that was refused', () => {
    const { rivals, look } = open();
    assert.equal(look(['left', 'by the last']), undefined);
    rivals.announce(KEY, ['a']);
    assert.equal(look(['left', 'by the last']), undefined);
    assert.equal(look([]), undefined);
  });

  it('is not this one after a write whose answer was lost and which is seen late', () => {
    const { rivals, look } = open();
    look([]);
    rivals.announce(KEY, ['a']);
    assert.equal(look([]), undefined);
    rivals.announce(KEY, ['b']);
    assert.equal(look(['a']), undefined);
  });

  it('is told of for ten minutes, by whoever saw it, and then taken back by either', () => {
    const { clock, look, toldAt } = open();
    look([]);
    look(['x']);
    clock.advance(599_999);
    assert.equal(look([]), 'False AnotherController');
    clock.advance(1);
    assert.equal(look([], toldAt(clock.now())), undefined, 'the other one has just told it');
    assert.equal(look([], toldAt(clock.now() - 600_000)), 'True Alone');
    assert.equal(look([]), undefined);
  });

  it('is forgotten with its pool', () => {
    const { rivals, look } = open();
    look([]);
    look(['x']);
    rivals.forget(KEY);
    assert.equal(look(['y']), undefined);
  });
});
