import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLogger } from '../base/logger.ts';
import { createManualClock } from '../base/testing/manual-clock.ts';
import { createAgentLife } from './agent-life.ts';

const stage = () => {
  const clock = createManualClock();
  const stop = new AbortController();
  return { clock, stop, life: createAgentLife({ clock, logger: silentLogger, stop: stop.signal }) };
};

describe('the life of an agent', () => {
  it('ends when it is told to stop', async () => {
    const { stop, life } = stage();
    assert.equal(life.signal.aborted, false);
    stop.abort();
    await nextTurn();
    assert.equal(life.signal.aborted, true);
  });

  it('is over before it began when it was told to stop before', () => {
    const stop = AbortSignal.abort();
    const life = createAgentLife({ clock: createManualClock(), logger: silentLogger, stop });
    assert.equal(life.signal.aborted, true);
  });

  it('lasts until what comes before the end is done', async () => {
    const { stop, life } = stage();
    const work = Promise.withResolvers<void>();
    life.beforeEnd(() => work.promise);
    stop.abort();
    await nextTurn();
    assert.equal(life.signal.aborted, false);
    work.resolve();
    await nextTurn();
    assert.equal(life.signal.aborted, true);
  });

  for (const { story, farewell, passMs } of [
    { story: 'fails', farewell: () => Promise.reject(new Error('no')), passMs: 0 },
    { story: 'never ends', farewell: () => new Promise<void>(() => undefined), passMs: 15_000 },
  ]) {
    it(`ends although what comes before ${story}`, async () => {
      const { clock, stop, life } = stage();
      life.beforeEnd(farewell);
      stop.abort();
      await nextTurn();
      clock.advance(passMs);
      await nextTurn();
      assert.equal(life.signal.aborted, true);
    });
  }
});
