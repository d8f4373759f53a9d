import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { FleetError } from '../../base/errors.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { shareSignals } from './shared-signals.ts';

const signal = neverAborted();
const NOTHING = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };

const open = () => {
  const clock = createManualClock();
  const asked: string[] = [];
  const trouble = { is: false };
  const ask = shareSignals(
    {
      signals: async (fleet) => {
        asked.push(fleet);
        if (trouble.is) throw new FleetError('unavailable', { code: 'Away', message: 'nobody is there' });
        return { ...NOTHING, queued: asked.length };
      },
    },
    clock,
  );
  return { clock, asked, trouble, ask: async (pool: string) => (await ask(pool, signal)).queued };
};

describe('signals that pools share (§3.10-1, §9.8-13)', () => {
  it('serve for four seconds, each pool for itself', async () => {
    const { clock, asked, ask } = open();
    assert.deepEqual([await ask('a'), await ask('a'), await ask('b')], [1, 1, 2]);
    clock.advance(3_999);
    assert.equal(await ask('a'), 1);
    clock.advance(1);
    assert.equal(await ask('a'), 3);
    assert.deepEqual(asked, ['a', 'b', 'a']);
  });

  it('are as old as the question, however long the answer takes', async () => {
    const clock = createManualClock();
    const answer = Promise.withResolvers<typeof NOTHING>();
    let asked = 0;
    const signals = () => {
      asked += 1;
      return answer.promise;
    };
    const ask = shareSignals({ signals }, clock);
    const first = ask('a', signal);
    clock.advance(4_000);
    answer.resolve(NOTHING);
    await first;
    await ask('a', signal);
    assert.equal(asked, 2);
  });

  it('are not there after an error, which is nobody’s to share', async () => {
    const { clock, asked, trouble, ask } = open();
    await ask('a');
    clock.advance(4_000);
    trouble.is = true;
    await assert.rejects(ask('a'), { code: 'Away' });
    await assert.rejects(ask('a'), { code: 'Away' });
    trouble.is = false;
    assert.equal(await ask('a'), 4);
    assert.equal(asked.length, 4);
  });
});
