import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLogger } from '../../base/logger.ts';
import { createManualClock } from '../../base/testing/manual-clock.ts';
import { createHostWatch, type Probe } from './host-watch.ts';
import type { Concern, Finding } from './node-facts.ts';

const WELL: Finding = { is: 'well' };
const hangs: Probe = () => new Promise(() => undefined);

const stageWatch = (probes: Partial<Record<Concern, Probe>>) => {
  const clock = createManualClock();
  const well: Probe = async () => WELL;
  const stop = new AbortController();
  const watch = createHostWatch({
    ...{ clock, logger: silentLogger, labelSources: {}, runningVms: () => 0, measureDisk: async () => 1 },
    probes: { disk: well, memory: well, pids: well, guiSession: well, tart: well, autoLogin: well, ...probes },
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await nextTurn();
      clock.advance(1_000);
      await nextTurn();
    }
  };
  return { watch, pass, stop };
};

describe('the watch over a Mac', () => {
  it('takes a Tart that does not answer for one that starts no VM, and waits for it no longer than for the others', async () => {
    const { watch, pass, stop } = stageWatch({ tart: hangs, disk: hangs });
    const looking = watch.lookOnce(stop.signal);
    await pass(6);
    await looking;
    const { tart, disk, memory } = watch.state().findings;
    assert.deepEqual([tart.is, tart.is === 'ill' && tart.reason], ['ill', 'NoAnswer']);
    assert.equal(disk.is, 'unknown');
    assert.equal(memory.is, 'well');
  });

  it('goes on looking at everything else while one look hangs (K10)', async () => {
    let looks = 0;
    const { watch, pass, stop } = stageWatch({
      tart: hangs,
      memory: async () => {
        looks += 1;
        return WELL;
      },
    });
    const running = watch.run(stop.signal);
    await pass(125);
    assert.equal(looks, 4);
    stop.abort();
    await running;
  });

  it('tells of a change once, and of nothing that stayed the same', async () => {
    let finding: Finding = WELL;
    const { watch, pass, stop } = stageWatch({ memory: async () => finding });
    await watch.lookOnce(stop.signal);
    let told = 0;
    watch.subscribe(() => {
      told += 1;
    });
    const running = watch.run(stop.signal);
    await pass(65);
    assert.equal(told, 0);
    finding = { is: 'ill', reason: 'Full', message: 'full' };
    await pass(65);
    assert.equal(told, 1);
    stop.abort();
    await running;
  });

  it('believes that nobody can look for the session when two looks said so, and tells it', async () => {
    let finding: Finding = WELL;
    const { watch, pass, stop } = stageWatch({ guiSession: async () => finding });
    await watch.lookOnce(stop.signal);
    const running = watch.run(stop.signal);
    finding = { is: 'unknown', reason: 'GuiSessionUnseen', message: 'sudo failed' };
    await pass(21);
    assert.equal(watch.state().findings.guiSession.is, 'well');
    await pass(6);
    assert.deepEqual(watch.state().findings.guiSession, finding);
    stop.abort();
    await running;
  });
});
