/** How fast the work queue takes keys, and whether every key is worked on after it was last added. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Benchmark, Sample } from '../benchmark.ts';

const ADDS = 100_000;
const KEYS = 1_000;
/** Adds between two turns of the event loop, as a burst of watch events brings them. */
const BURST = 500;

const ours = async (): Promise<Sample> => {
  const { createWorkQueue } = await import('../../src/kube/queue/work-queue.ts');
  const { createSystemClock } = await import('../../src/base/clock.ts');
  const { createSystemRandom } = await import('../../src/base/random.ts');
  const queue = createWorkQueue({ clock: createSystemClock(), random: createSystemRandom(), workers: 4 });
  const added = new Map<string, number>();
  const seen = new Map<string, number>();
  const stop = new AbortController();
  let active = 0;
  const running = queue.run(async (key) => {
    active += 1;
    seen.set(key, added.get(key) ?? 0);
    await Promise.resolve();
    active -= 1;
    return { next: 'rest' };
  }, stop.signal);
  const startMs = performance.now();
  for (let at = 1; at <= ADDS; at += 1) {
    const key = `fleet/mac-${(at * 7919) % KEYS}`;
    added.set(key, at);
    queue.add(key, at % 3 === 0 ? 'wish' : 'change');
    if (at % BURST === 0) await nextTurn();
  }
  while (queue.depth > 0 || active > 0) await nextTurn();
  const elapsedMs = performance.now() - startMs;
  stop.abort();
  await running;
  const lost = [...added].filter(([key, at]) => seen.get(key) !== at).length;
  return { 'rate, adds/s': (ADDS / elapsedMs) * 1_000, 'keys lost': lost };
};

export const queue: Benchmark = {
  id: 'queue',
  about: '100,000 adds of 1,000 keys to the work queue while four workers take them',
  figures: [{ name: 'rate, adds/s' }, { name: 'keys lost', goal: { of: 'ours', is: '=', value: 0 } }],
  ours,
};
