/** Seeded randomness: the same on every machine and in every release, with streams that do not disturb each other. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom, createSystemRandom, type Random } from './random.ts';

const draw = (random: Random, count: number): readonly number[] => Array.from({ length: count }, () => random.next());
const drawWords = (random: Random, count: number): readonly number[] =>
  draw(random, count).map((value) => value * 2 ** 32);

describe('a seeded generator', () => {
  test('gives these first values for ever: recorded seeds depend on them', () => {
    assert.deepEqual(drawWords(createSeededRandom(7), 4), [703_803_230, 40_451_946, 2_621_257_316, 4_152_860_261]);
    assert.deepEqual(drawWords(createSeededRandom(7).stream('jitter'), 2), [1_983_563_524, 4_129_403_781]);
    assert.deepEqual([...createSeededRandom('macfleet').bytes(6)], [241, 102, 49, 51, 156, 85]);
  });

  test('repeats itself for the same seed and differs for another', () => {
    assert.deepEqual(draw(createSeededRandom('a'), 50), draw(createSeededRandom('a'), 50));
    assert.notDeepEqual(draw(createSeededRandom('a'), 50), draw(createSeededRandom('b'), 50));
  });

  test('takes a number and its text as the same seed', () => {
    assert.deepEqual(draw(createSeededRandom(12), 5), draw(createSeededRandom('12'), 5));
  });
});

describe('a stream', () => {
  test('does not depend on how much was drawn before it was made, or elsewhere meanwhile', () => {
    const quiet = createSeededRandom(1);
    const busy = createSeededRandom(1);
    draw(busy, 1_000);
    const stream = busy.stream('jitter');
    draw(busy.stream('other'), 1_000);
    assert.deepEqual(draw(stream, 20), draw(quiet.stream('jitter'), 20));
  });

  test('does not shift the generator it came from', () => {
    const plain = createSeededRandom(1);
    const parent = createSeededRandom(1);
    draw(parent.stream('jitter'), 10);
    assert.deepEqual(draw(parent, 20), draw(plain, 20));
  });

  test('has values of its own for each name', () => {
    const random = createSeededRandom(1);
    assert.notDeepEqual(draw(random.stream('a'), 5), draw(random.stream('b'), 5));
    assert.notDeepEqual(draw(random.stream('a'), 5), draw(random, 5));
  });
});

const GENERATORS: readonly { readonly name: string; readonly random: Random }[] = [
  { name: 'seeded', random: createSeededRandom('spread') },
  { name: 'a seeded stream', random: createSeededRandom('spread').stream('x') },
  { name: "the system's", random: createSystemRandom() },
  { name: "a stream of the system's", random: createSystemRandom().stream('x') },
];

for (const { name, random } of GENERATORS) {
  describe(`the values of ${name} generator`, () => {
    test('lie in [0, 1) and spread over it evenly enough', () => {
      const counts = Array.from({ length: 10 }, () => 0);
      for (const value of draw(random, 20_000)) {
        assert.ok(value >= 0 && value < 1);
        const bucket = Math.floor(value * 10);
        counts[bucket] = (counts[bucket] ?? 0) + 1;
      }
      for (const count of counts) assert.ok(count > 1_700 && count < 2_300, `${counts}`);
    });

    test('give every integer below a bound and no other', () => {
      const seen = new Set(Array.from({ length: 500 }, () => random.integer(6)));
      assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4, 5]);
      assert.equal(random.integer(1), 0);
    });

    test('give as many bytes as asked for, of all values', () => {
      assert.equal(random.bytes(0).length, 0);
      assert.equal(new Set(random.bytes(5_000)).size, 256);
    });
  });
}
