/**
 * B4 and B5: how long a Pod waits for its agent, from its binding to `tart run` beyond the clone, and from the end of its VM to the end that
 * everybody sees. First one Pod after the other on one Mac, then ten at a time on five Macs, which share this machine with each other,
 * the API server and its disk. So every round is run a second time by the least that anybody must do (bare-agent.ts), in turns: what
 * it needs is this machine's, and the goal of Pods that come together is for what the agent adds.
 */
import type { Benchmark, Sample } from '../benchmark.ts';
import type { BareAgent } from '../kubelet/bare-agent.ts';
import type { JobTimes } from '../kubelet/jobs.ts';

const ALONE = 60;
const TOGETHER_ROUNDS = 10;
const MACS = 5;

interface Times {
  readonly alone: JobTimes[];
  readonly together: JobTimes[];
}

const ours = async (): Promise<Sample> => {
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { openJobs } = await import('../kubelet/jobs.ts');
  const { cpuMsOf } = await import('../kubelet/first-request.ts');
  const lab = await openKubeletLab();
  try {
    const start = <A extends BareAgent>(kind: (nodeName: string) => Promise<A>, name: string): Promise<readonly A[]> =>
      Promise.all(Array.from({ length: MACS }, (_, at) => kind(`${name}-${at}`)));
    const processes = await start(lab.startAgent, 'mac');
    const cpuMs = (): number => processes.reduce((sum, { child }) => sum + cpuMsOf(Number(child.pid)), 0);
    const sides = [
      { agents: processes, times: noTimes() },
      { agents: await start(lab.startBareAgent, 'bare'), times: noTimes() },
    ] as const;
    const jobs = await openJobs(lab.client);
    // Ends at any moment between the agent's own looks, if it had any.
    const script = (): string => `sleep 0.${100 + Math.floor(Math.random() * 800)}`;
    const run = (agent: BareAgent, name: string): Promise<JobTimes> =>
      jobs.run(agent, `${agent.nodeName}-${name}`, script());
    for (const { agents, times } of sides) {
      // The base is made, and everything that runs has run once.
      await Promise.all(agents.map((agent) => run(agent, 'warm')));
      for (let at = 0; at < ALONE; at += 1)
        for (const agent of agents.slice(0, 1)) times.alone.push(await run(agent, `${at}`));
    }
    const beforeMs = cpuMs();
    for (let round = 0; round < TOGETHER_ROUNDS; round += 1) {
      for (const { agents, times } of sides) {
        const pairs = agents.flatMap((agent) => [run(agent, `${round}-one`), run(agent, `${round}-other`)]);
        times.together.push(...(await Promise.all(pairs)));
      }
    }
    const perPodMs = (cpuMs() - beforeMs) / sides[0].times.together.length;
    jobs.stop();
    return { ...(await summarize(sides[0].times, sides[1].times)), 'agent, processor per Pod, ms': perPodMs };
  } finally {
    await lab.stop();
  }
};

const noTimes = (): Times => ({ alone: [], together: [] });

const summarize = async (agent: Times, bare: Times): Promise<Sample> => {
  const { percentile } = await import('../kubelet/jobs.ts');
  const start = (of: readonly JobTimes[], percent: number): number =>
    percentile(
      of.map(({ startMs }) => startMs),
      percent,
    );
  const ends = [...agent.alone, ...agent.together].map(({ endMs }) => endMs);
  const beyond = (percent: number): number => start(agent.together, percent) - start(bare.together, percent);
  return {
    'bind to run, alone, p99, ms': start(agent.alone, 99),
    'bind to run, alone, p50, ms': start(agent.alone, 50),
    'bare, alone, p50, ms': start(bare.alone, 50),
    'bind to run, ten together, p99, ms': start(agent.together, 99),
    'bind to run, ten together, p50, ms': start(agent.together, 50),
    'bare, ten together, p99, ms': start(bare.together, 99),
    'bare, ten together, p50, ms': start(bare.together, 50),
    'beyond the bare one, p99, ms': beyond(99),
    'beyond the bare one, p50, ms': beyond(50),
    'VM end to Pod over, p99, ms': percentile(ends, 99),
    'VM end to Pod over, p50, ms': percentile(ends, 50),
  };
};

export const kubeletPods: Benchmark = {
  id: 'kubelet-pods',
  about: 'tart-kubelet on a real API server: from binding to tart run, and from the end of a VM to that of its Pod',
  figures: [
    { name: 'bind to run, alone, p99, ms', goal: { of: 'ours', is: '<=', value: 100 } },
    { name: 'bind to run, alone, p50, ms' },
    { name: 'bare, alone, p50, ms' },
    { name: 'bind to run, ten together, p99, ms', goal: { of: 'ours', is: '<=', value: 100 } },
    { name: 'bind to run, ten together, p50, ms' },
    { name: 'bare, ten together, p99, ms' },
    { name: 'bare, ten together, p50, ms' },
    { name: 'beyond the bare one, p99, ms', goal: { of: 'ours', is: '<=', value: 100 } },
    { name: 'beyond the bare one, p50, ms' },
    { name: 'VM end to Pod over, p99, ms', goal: { of: 'ours', is: '<=', value: 200 } },
    { name: 'VM end to Pod over, p50, ms' },
    { name: 'agent, processor per Pod, ms' },
  ],
  ours,
};
