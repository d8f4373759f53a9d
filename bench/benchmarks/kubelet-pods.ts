/**
 * B4 and B5: how long a Pod waits for its agent, from its binding to `tart run` beyond the clone, and from the end of its VM to the end that
 * everybody sees. First one Pod after the other on one Mac, then ten at a time on five Macs, which share this machine. The peer
 * is the least that anybody must do (bare-agent.ts): on a busy machine the ratio tells more than the times.
 */
import type { Benchmark, Sample, SideName } from '../benchmark.ts';
import type { JobTimes } from '../kubelet/jobs.ts';

const ALONE = 60;
const TOGETHER_ROUNDS = 10;
const MACS = 5;

const measure = async (side: SideName): Promise<Sample> => {
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { openJobs, percentile } = await import('../kubelet/jobs.ts');
  const lab = await openKubeletLab();
  try {
    const start = side === 'ours' ? lab.startAgent : lab.startBareAgent;
    const agents = await Promise.all(Array.from({ length: MACS }, (_, at) => start(`mac-${at}`)));
    const jobs = await openJobs(lab.client);
    const [first] = agents;
    if (first === undefined) throw new TypeError('no agent');
    // Ends at any moment between the agent's own looks, if it had any.
    const script = (): string => `sleep 0.${100 + Math.floor(Math.random() * 800)}`;
    // The base is made, and everything that runs has run once.
    await Promise.all(agents.map((agent, at) => jobs.run(agent, `warm-${at}`, script())));
    const alone: JobTimes[] = [];
    for (let at = 0; at < ALONE; at += 1) alone.push(await jobs.run(first, `alone-${at}`, script()));
    const together: JobTimes[] = [];
    for (let round = 0; round < TOGETHER_ROUNDS; round += 1) {
      const pairs = agents.flatMap((agent) => [`${round}-one`, `${round}-other`].map((name) => ({ agent, name })));
      const running = pairs.map(({ agent, name }) => jobs.run(agent, `${agent.nodeName}-${name}`, script()));
      together.push(...(await Promise.all(running)));
    }
    jobs.stop();
    const starts = (of: readonly JobTimes[]): readonly number[] => of.map(({ startMs }) => startMs);
    const ends = [...alone, ...together].map(({ endMs }) => endMs);
    return {
      'bind to run, alone, p99, ms': percentile(starts(alone), 99),
      'bind to run, alone, p50, ms': percentile(starts(alone), 50),
      'bind to run, ten together, p99, ms': percentile(starts(together), 99),
      'bind to run, ten together, p50, ms': percentile(starts(together), 50),
      'VM end to Pod over, p99, ms': percentile(ends, 99),
      'VM end to Pod over, p50, ms': percentile(ends, 50),
    };
  } finally {
    await lab.stop();
  }
};

export const kubeletPods: Benchmark = {
  id: 'kubelet-pods',
  about: 'tart-kubelet on a real API server: from binding to tart run, and from the end of a VM to that of its Pod',
  figures: [
    { name: 'bind to run, alone, p99, ms', goal: { of: 'ours', is: '<=', value: 100 } },
    { name: 'bind to run, alone, p50, ms' },
    { name: 'bind to run, ten together, p99, ms', goal: { of: 'ours', is: '<=', value: 100 } },
    { name: 'bind to run, ten together, p50, ms' },
    { name: 'VM end to Pod over, p99, ms', goal: { of: 'ours', is: '<=', value: 200 } },
    { name: 'VM end to Pod over, p50, ms' },
  ],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
