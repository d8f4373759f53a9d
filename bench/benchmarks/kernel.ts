/** How many events the simulation kernel delivers in a second of real time. */
import type { Benchmark, Sample } from '../benchmark.ts';
import { median } from '../judge.ts';

const WORLDS = 5;
const ACTORS = 1_000;
const EVENTS_EACH = 60;
/** Promises that settle one after the other behind every event, as in a reconcile between two calls. */
const CHAIN = 4;

const ours = async (): Promise<Sample> => {
  const { createKernel } = await import('../../src/sim/kernel/kernel.ts');

  const runWorld = async (seed: number): Promise<number> => {
    const kernel = createKernel({ seed });
    for (let at = 0; at < ACTORS; at += 1) {
      kernel.boot(`actor-${at}`, async ({ clock, random }) => {
        for (let event = 0; event < EVENTS_EACH; event += 1) {
          await new Promise<void>((resolve) => clock.schedule(random.integer(1_000), resolve));
          for (let link = 0; link < CHAIN; link += 1) await Promise.resolve(link);
        }
      });
    }
    const startMs = performance.now();
    const { events } = await kernel.run({ maxEvents: 1_000_000, maxVirtualMs: 1_000_000 });
    return (events / (performance.now() - startMs)) * 1_000;
  };

  // A search runs worlds by the thousand, so the first one only warms up.
  await runWorld(0);
  const rates: number[] = [];
  for (let seed = 1; seed <= WORLDS; seed += 1) rates.push(await runWorld(seed));
  return { 'rate, events/s': median(rates) };
};

export const kernel: Benchmark = {
  id: 'kernel',
  about: 'the simulation kernel: 1,000 actors, 60 events each, a short promise chain behind every event',
  figures: [{ name: 'rate, events/s', goal: { of: 'ours', is: '>=', value: 200_000 } }],
  ours,
};
