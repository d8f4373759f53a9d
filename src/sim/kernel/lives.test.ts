/** The lives of actors: kill, restart, pause, skew. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { neverAborted } from '../../base/abort.ts';
import { sleep } from '../../base/clock.ts';
import type { Actor } from './actor.ts';
import type { ChoiceList } from './choices.ts';
import { createKernel, type Kernel } from './kernel.ts';

const BOUNDS = { maxEvents: 10_000, maxVirtualMs: 3_600_000 };

/** Writes down every tenth millisecond at which it runs, with its life. */
const tickEveryTen =
  (seen: string[]) =>
  async (actor: Actor): Promise<void> => {
    for (let count = 0; count < 5; count += 1) {
      await sleep(actor.clock, 10, neverAborted());
      seen.push(`${actor.epoch}@${actor.clock.elapsed()}`);
    }
  };

const runTicker = async (disturb: (kernel: Kernel) => void): Promise<readonly string[]> => {
  const kernel = createKernel({ seed: 1 });
  const seen: string[] = [];
  kernel.boot('ticker', tickEveryTen(seen));
  kernel.schedule(25, 'disturb', () => disturb(kernel));
  const { outcome } = await kernel.run(BOUNDS);
  assert.equal(outcome, 'idle');
  return seen;
};

test('a killed actor never runs again', async () => {
  assert.deepEqual(await runTicker((kernel) => kernel.kill('ticker')), ['0@10', '0@20']);
});

test('a restarted actor runs its program from the start, in a new life', async () => {
  assert.deepEqual(await runTicker((kernel) => kernel.restart('ticker', 100)), [
    '0@10',
    '0@20',
    '1@135',
    '1@145',
    '1@155',
    '1@165',
    '1@175',
  ]);
});

test('an actor killed while it waits for its restart stays dead', async () => {
  const seen = await runTicker((kernel) => {
    kernel.restart('ticker', 100);
    kernel.schedule(50, 'kill', () => kernel.kill('ticker'));
  });
  assert.deepEqual(seen, ['0@10', '0@20']);
});

test('an actor restarted twice begins one life', async () => {
  const seen = await runTicker((kernel) => {
    kernel.restart('ticker', 100);
    kernel.restart('ticker', 50);
  });
  assert.deepEqual(seen, ['0@10', '0@20', '1@85', '1@95', '1@105', '1@115', '1@125']);
});

test('a paused actor goes on where it was, in the same life', async () => {
  assert.deepEqual(await runTicker((kernel) => kernel.pause('ticker', 100)), [
    '0@10',
    '0@20',
    '0@125',
    '0@135',
    '0@145',
  ]);
});

test('an actor killed while paused does not wake up', async () => {
  const seen = await runTicker((kernel) => {
    kernel.pause('ticker', 100);
    kernel.schedule(50, 'kill', () => kernel.kill('ticker'));
  });
  assert.deepEqual(seen, ['0@10', '0@20']);
});

test('a longer pause extends a shorter one', async () => {
  const seen = await runTicker((kernel) => {
    kernel.pause('ticker', 20);
    kernel.pause('ticker', 100);
    kernel.pause('ticker', 50);
  });
  assert.deepEqual(seen, ['0@10', '0@20', '0@125', '0@135', '0@145']);
});

test('what came due during a pause arrives afterwards in its order, whatever the seed', async () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const kernel = createKernel({ seed });
    const { clock } = kernel.actor('a');
    const order: number[] = [];
    for (const dueMs of [50, 10, 40, 20, 30]) clock.schedule(dueMs, () => order.push(dueMs));
    clock.schedule(100, () => order.push(100));
    kernel.pause('a', 100);
    await kernel.run(BOUNDS);
    assert.deepEqual(order, [10, 20, 30, 40, 50, 100]);
  }
});

test('the answer to a killed caller never arrives, and its code never runs again', async () => {
  const kernel = createKernel({ seed: 1 });
  const actor = kernel.actor('client');
  const seen: string[] = [];
  actor.task('work', async () => {
    try {
      await actor.call({ site: 'x', effect: () => seen.push('effect') });
      seen.push('answered');
    } catch {
      seen.push('failed');
    } finally {
      seen.push('cleaned up');
    }
  });
  await kernel.run({ ...BOUNDS, until: () => seen.length > 0 });
  kernel.kill('client');
  assert.equal((await kernel.run(BOUNDS)).outcome, 'idle');
  assert.deepEqual(seen, ['effect']);
});

for (const landing of [0, 1] as const) {
  test(`a request on its way when its caller is killed takes effect with probability ${landing}`, async () => {
    const kernel = createKernel({ seed: 1, network: { default: { minLatencyMs: 10, landing } } });
    const actor = kernel.actor('client');
    let effects = 0;
    actor.daemon('work', async () => {
      await actor.call({
        site: 'x',
        effect: () => {
          effects += 1;
        },
      });
    });
    kernel.schedule(5, 'kill', () => kernel.kill('client'));
    await kernel.run(BOUNDS);
    assert.equal(effects, landing);
  });
}

test('handles of an ended life have no effect', async () => {
  const kernel = createKernel({ seed: 1 });
  const old = kernel.actor('a');
  kernel.kill('a');
  kernel.restart('a', 0);
  old.clock.schedule(1, () => assert.fail('timer of an ended life'));
  old.task('work', () => assert.fail('task of an ended life'));
  old.daemon('work', () => assert.fail('daemon of an ended life'));
  old.call({ site: 'x', effect: () => assert.fail('call of an ended life') }).then(assert.fail, assert.fail);
  assert.equal((await kernel.run(BOUNDS)).outcome, 'idle');
  assert.deepEqual([old.isAlive(), kernel.actor('a').isAlive(), kernel.actor('a').epoch], [false, true, 1]);
});

test('each life draws other random numbers; the same life of the same seed draws the same', () => {
  const draws = (seed: number, replay?: ChoiceList): readonly string[] => {
    const kernel = createKernel({ seed, ...(replay && { replay }) });
    const first = kernel.actor('a').ids.uuid();
    kernel.kill('a');
    return [first, kernel.actor('a').ids.uuid(), kernel.actor('b').ids.uuid()];
  };
  assert.deepEqual(draws(1), draws(1));
  assert.equal(new Set([...draws(1), ...draws(2)]).size, 6);
  assert.equal(new Set(draws(1, {})).size, 3, 'also when no choice makes them differ');
});

test('skew moves the wall clock of one actor and nothing else', async () => {
  const kernel = createKernel({ seed: 1, startWallMs: 1_000_000 });
  const [fast, true_] = [kernel.actor('fast'), kernel.actor('true')];
  const readings: (readonly number[])[] = [];
  const read = (): void => {
    readings.push([fast.clock.now(), fast.clock.elapsed(), true_.clock.now(), true_.clock.elapsed()]);
  };
  kernel.schedule(10, 'ahead', () => {
    kernel.setSkew('fast', 7_200_000);
    read();
  });
  kernel.schedule(20, 'back', () => {
    kernel.setSkew('fast', -500);
    read();
  });
  fast.clock.schedule(30, read);
  await kernel.run(BOUNDS);
  assert.deepEqual(readings, [
    [8_200_010, 10, 1_000_010, 10],
    [999_520, 20, 1_000_020, 20],
    [999_530, 30, 1_000_030, 30],
  ]);
});
