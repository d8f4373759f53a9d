/** What a person who types `./macfleet up` waits for, each from the start of the process. */
import type { Benchmark, Sample } from '../benchmark.ts';

const STARTS = 5;

/** The goal is 2 s and the simulated time; at this speed what is simulated takes next to nothing, so that it may count too. */
const FASTEST = ['--speed', '1000', '--macs-as', 'step-level'];
const API_READY = /^API server ready at /;
const MAC_READY = / joined .*node=Ready/;
const OVER = /^Stopped after /;

const ours = async (): Promise<Sample> => {
  const { median } = await import('../judge.ts');
  const { startMacfleet } = await import('../processes/program.ts');
  const run = async (...args: readonly string[]) => {
    const up = startMacfleet(['up', ...args]);
    try {
      await up.until(OVER);
      return up;
    } finally {
      await up.end('SIGKILL');
    }
  };
  // Fills the cache of compiled code.
  await run('--until', 'ready', ...FASTEST);
  const starts = [];
  for (let at = 0; at < STARTS; at += 1) starts.push(await run('--until', 'ready', ...FASTEST));
  const jobs = await run('--until', 'jobs-done');
  return {
    'start to API ready, ms': median(starts.map((up) => up.saidAfterMs(API_READY))),
    'start to first Mac Ready at speed 1,000, ms': median(starts.map((up) => up.saidAfterMs(MAC_READY))),
    'start to jobs done and all stopped, s': jobs.saidAfterMs(OVER) / 1_000,
  };
};

export const upStart: Benchmark = {
  id: 'up-start',
  about: '`macfleet up` from the start of its process: to its API, to its first Mac, to the end of its jobs',
  figures: [
    { name: 'start to API ready, ms', goal: { of: 'ours', is: '<=', value: 600 } },
    { name: 'start to first Mac Ready at speed 1,000, ms', goal: { of: 'ours', is: '<=', value: 2_000 } },
    { name: 'start to jobs done and all stopped, s', goal: { of: 'ours', is: '<=', value: 30 } },
  ],
  ours,
};
