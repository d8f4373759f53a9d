/** How many schedules of the swarm (docs/correctness.md) one core runs in a minute, and what they hold in memory meanwhile. */
import type { Benchmark, Sample } from '../benchmark.ts';

/** The first ones also warm up; a search has thousands. */
const WARM_UP = 10;
const SCHEDULES = 30;

/** Processor time: the machine may be busy with other things. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const ours = async (): Promise<Sample> => {
  const { runSeed } = await import('../../src/world/simulate/run-seed.ts');
  for (let seed = 1; seed <= WARM_UP; seed += 1) await runSeed(seed);
  const startMs = cpuMs();
  let events = 0;
  for (let seed = WARM_UP + 1; seed <= WARM_UP + SCHEDULES; seed += 1) events += (await runSeed(seed)).events;
  const tookMs = cpuMs() - startMs;
  return {
    'schedules per minute of one core': (SCHEDULES * 60_000) / tookMs,
    'events in a schedule': events / SCHEDULES,
    'processor time per event, µs': (tookMs * 1_000) / events,
    'memory, MB': process.memoryUsage().rss / 1e6,
  };
};

export const schedules: Benchmark = {
  id: 'schedules',
  about: 'the swarm: six simulated hours of a fleet in trouble, every promise judged after every event',
  figures: [
    { name: 'schedules per minute of one core', goal: { of: 'ours', is: '>=', value: 500 } },
    { name: 'events in a schedule' },
    { name: 'processor time per event, µs' },
    { name: 'memory, MB', goal: { of: 'ours', is: '<=', value: 300 } },
  ],
  ours,
};
