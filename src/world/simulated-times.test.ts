import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulatedTimes } from './simulated-times.ts';

describe('the waits on a simulated project', () => {
  it('are compressed as its time is, but for what this process takes itself', () => {
    const { quietMs, pollMs, inventoryMs, nodeWaitMs } = simulatedTimes({ speedUp: 100, macs: 5 });
    assert.deepEqual([quietMs, pollMs, inventoryMs, nodeWaitMs], [600, 100, 300, 30_000]);
  });

  it('are never so short that one process does nothing else', () => {
    assert.equal(simulatedTimes({ speedUp: 10_000, macs: 5 }).pollMs, 100);
  });

  it('give each Mac of a large fleet the time until its turn', () => {
    const { quietMs, inventoryMs, bootstrapTimeoutMs, nodeWaitMs } = simulatedTimes({ speedUp: 100, macs: 1_000 });
    assert.deepEqual([quietMs, inventoryMs, bootstrapTimeoutMs, nodeWaitMs], [600, 3_000, 600_000, 300_000]);
  });
});
