import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createManualClock } from '../../../base/testing/manual-clock.ts';
import { scaleClock } from './scaled-clock.ts';

test('on a clock that runs ten times as fast, a minute has passed after six seconds', () => {
  const ours = createManualClock();
  ours.advance(5_000);
  const mac = scaleClock(ours, 10);
  const bornAt = mac.now();
  const rung: number[] = [];
  mac.schedule(60_000, () => rung.push(mac.elapsed()));
  const cancel = mac.schedule(60_000, () => rung.push(-1));
  cancel();
  ours.advance(5_999);
  assert.deepEqual(rung, []);
  ours.advance(1);
  assert.deepEqual([rung, mac.now() - bornAt, bornAt], [[60_000], 60_000, ours.now() - 6_000]);
});
