import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from './turns.ts';

const start = (places: number) => {
  const now = { ms: 0 };
  const woken: string[] = [];
  const turns = createTurns({
    ...{ clock: { elapsed: () => now.ms }, places, goodForMs: 30_000 },
    wake: (key) => void woken.push(key),
  });
  const pass = (ms: number): void => {
    now.ms += ms;
  };
  return { turns, woken, pass };
};

describe('whose turn it is', () => {
  it('is so many’s at a time, and the others are woken one by one, in the order in which they came', () => {
    const { turns, woken } = start(2);
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'c'].map((key) => turns.take(key)),
      [true, true, false, false, false],
    );
    turns.end('b');
    assert.deepEqual(woken, ['c']);
    assert.equal(turns.take('c'), true);
    assert.equal(turns.take('d'), false);
    turns.end('a');
    turns.end('a');
    assert.deepEqual(woken, ['c', 'd']);
  });

  it('stays its own until it is ended', () => {
    const { turns } = start(1);
    assert.deepEqual([turns.take('a'), turns.take('a'), turns.take('b')], [true, true, false]);
  });

  it('is over after a while, should nobody end it', () => {
    const { turns, pass } = start(1);
    turns.take('a');
    pass(29_999);
    assert.equal(turns.take('b'), false);
    pass(1);
    assert.equal(turns.take('b'), true);
  });

  it('is nobody’s who ended waiting, and whoever ends without one wakes nobody', () => {
    const { turns, woken } = start(1);
    turns.take('a');
    turns.take('b');
    turns.take('c');
    turns.end('b');
    assert.deepEqual(woken, []);
    turns.end('a');
    assert.deepEqual(woken, ['c']);
  });
});
