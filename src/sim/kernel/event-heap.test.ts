import assert from 'node:assert/strict';
import test from 'node:test';
import { createSeededRandom } from '../../base/random.ts';
import { createEventHeap, type Timed } from './event-heap.ts';

test('events leave the heap by time, and in the order of arrival at the same time', () => {
  const random = createSeededRandom('heap');
  const heap = createEventHeap<Timed>();
  const events = Array.from({ length: 2_000 }, (_, seq) => ({ atMs: random.integer(50), seq }));
  for (const event of events) heap.push(event);
  const left = events.map(() => heap.pop());
  assert.deepEqual(
    left,
    events.toSorted((one, other) => one.atMs - other.atMs || one.seq - other.seq),
  );
  assert.equal(heap.pop(), undefined);
});

test('pushes between pops keep the order', () => {
  const random = createSeededRandom('mixed');
  const heap = createEventHeap<Timed>();
  const waiting: Timed[] = [];
  for (let seq = 0; seq < 3_000; seq += 1) {
    const event = { atMs: random.integer(1_000), seq };
    heap.push(event);
    waiting.push(event);
    if (random.next() < 0.4) continue;
    waiting.sort((one, other) => one.atMs - other.atMs || one.seq - other.seq);
    assert.equal(heap.peek(), waiting[0]);
    assert.equal(heap.pop(), waiting.shift());
  }
});
