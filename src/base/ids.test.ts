/** Names and identifiers that Kubernetes and everybody else accept. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createIds } from './ids.ts';
import { createSeededRandom } from './random.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  test('are version 4 UUIDs, each another', () => {
    const ids = createIds(createSeededRandom('uuids'));
    const made = Array.from({ length: 1_000 }, () => ids.uuid());
    for (const uuid of made) assert.match(uuid, UUID_V4);
    assert.equal(new Set(made).size, made.length);
  });

  test('keep version and variant whatever the bytes are', () => {
    for (const byte of [0x00, 0xff]) {
      const random = { ...createSeededRandom(0), bytes: (length: number) => new Uint8Array(length).fill(byte) };
      assert.match(createIds(random).uuid(), UUID_V4);
    }
  });

  test('repeat with the seed', () => {
    const make = () => {
      const ids = createIds(createSeededRandom(3));
      return [ids.uuid(), ids.suffix(5), ids.uuid()];
    };
    assert.deepEqual(make(), make());
  });

  test('have suffixes of the length asked for that can end any Kubernetes name and form no words', () => {
    const ids = createIds(createSeededRandom('suffixes'));
    assert.equal(ids.suffix(0), '');
    for (const length of [1, 5, 63])
      assert.match(ids.suffix(length), new RegExp(`^[bcdfghjklmnpqrstvwxz2456789]{${length}}$`));
  });
});
