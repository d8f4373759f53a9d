/**
 * B5: a runner's VM ends; how soon its successor's Pod is made, and how soon that one's VM starts beyond its clone. One chain, through
 * tart-kubelet, the API server, the runners controller, the scheduler and tart-kubelet again.
 */
import type { Benchmark, Sample } from '../benchmark.ts';

const MACS = 3;
const COUNT = 100;

const ours = async (): Promise<Sample> => {
  const { measureTurnovers } = await import('../runners/turnover.ts');
  const { percentile } = await import('../kubelet/jobs.ts');
  const turnovers = await measureTurnovers(MACS, COUNT);
  const made = turnovers.map(({ madeMs }) => madeMs);
  const started = turnovers.map(({ startedMs }) => startedMs);
  return {
    'VM end to the next Pod made, p99, ms': percentile(made, 99),
    'VM end to the next Pod made, p50, ms': percentile(made, 50),
    'VM end to the next VM started, beyond its clone, p99, ms': percentile(started, 99),
    'VM end to the next VM started, beyond its clone, p50, ms': percentile(started, 50),
  };
};

export const runnersTurnover: Benchmark = {
  id: 'runners-turnover',
  about:
    'runners on Macs with tart-kubelet and a real Kubernetes: from the end of a VM to the one that takes its place',
  figures: [
    { name: 'VM end to the next Pod made, p99, ms', goal: { of: 'ours', is: '<=', value: 300 } },
    { name: 'VM end to the next Pod made, p50, ms' },
    { name: 'VM end to the next VM started, beyond its clone, p99, ms', goal: { of: 'ours', is: '<=', value: 1_000 } },
    { name: 'VM end to the next VM started, beyond its clone, p50, ms' },
  ],
  ours,
};
