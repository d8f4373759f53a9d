import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createKernel } from '../../sim/kernel/kernel.ts';
import { paceProgress } from './pace-progress.ts';

interface Told {
  readonly atMs: number;
  readonly progress: number;
}

/** What is passed on of progress that is reported every second, for so long. */
const tell = async (seconds: number): Promise<readonly Told[]> => {
  const told: Told[] = [];
  const kernel = createKernel({ seed: 1 });
  kernel.boot('work', async ({ clock }) => {
    const startMs = clock.elapsed();
    const paced = paceProgress<number>(clock, (progress) => told.push({ atMs: clock.elapsed() - startMs, progress }));
    for (let second = 0; second < seconds; second += 1) {
      paced.report(second);
      await new Promise<void>((resolve) => clock.schedule(1_000, resolve));
    }
    paced.stop();
  });
  await kernel.run({ maxEvents: 10_000, maxVirtualMs: 1_000_000 });
  return told;
};

it('tells of a short piece of work once, soon after its beginning, and of a long one every half minute', async () => {
  assert.deepEqual(await tell(20), [{ atMs: 1_500, progress: 1 }]);
  assert.deepEqual(
    (await tell(70)).map(({ atMs }) => atMs),
    [1_500, 31_500, 61_500],
  );
});

it('tells nothing of work that has ended', async () => {
  assert.deepEqual(await tell(1), []);
});
