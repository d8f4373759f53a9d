/**
 * B5 and B7: 100 pools of 50 runners each, on a real API server: what their controller holds, what it does while nothing happens, and how soon a
 * runner that is over is replaced. From the end of a VM to that of its Pod see kubelet-pods; both together are the turnover.
 */
import type { Benchmark, Sample } from '../benchmark.ts';

const POOLS = 100;
const EACH = 50;
/** Past what filling took; its collector runs after ten seconds. */
const SETTLE_MS = 30_000;
const IDLE_MS = 60_000;
const REPLACED = 100;

const ours = async (): Promise<Sample> => {
  const { setTimeout: sleep } = await import('node:timers/promises');
  const { openRunnersLab } = await import('../runners/lab.ts');
  const { percentile } = await import('../kubelet/jobs.ts');
  const lab = await openRunnersLab();
  try {
    await lab.fill(POOLS, EACH);
    await sleep(SETTLE_MS);
    const rssMb = lab.rssMb();
    const [before, cpuBefore] = [await lab.countRequests(), lab.cpuMs()];
    await sleep(IDLE_MS);
    const [after, cpuAfter] = [await lab.countRequests(), lab.cpuMs()];
    const writes = [...after].reduce((sum, [key, count]) => {
      // Whatever the controller may write but its Lease.
      const isWrite = /^(POST|PUT|PATCH|DELETE|APPLY) (runnerpools|pods|events|serviceaccounts)/.test(key);
      return isWrite ? sum + count - (before.get(key) ?? 0) : sum;
    }, 0);
    const times: number[] = [];
    for (let at = 0; at < REPLACED; at += 1) times.push(await lab.replaceOne());
    await lab.restart();
    await sleep(SETTLE_MS);
    return {
      'RSS with 5,000 runners made, MB': rssMb,
      'RSS with 5,000 runners found, MB': lab.rssMb(),
      'writes of an idle minute, 1': writes,
      'CPU of an idle minute, %': ((cpuAfter - cpuBefore) / IDLE_MS) * 100,
      'Pod over to the next one made, p99, ms': percentile(times, 99),
      'Pod over to the next one made, p50, ms': percentile(times, 50),
    };
  } finally {
    await lab.stop();
  }
};

export const runnersPools: Benchmark = {
  id: 'runners-pools',
  about: 'the runners controller with 100 pools of 50 runners on a real API server: memory, idleness, replacement',
  figures: [
    { name: 'RSS with 5,000 runners made, MB', goal: { of: 'ours', is: '<=', value: 130 } },
    { name: 'RSS with 5,000 runners found, MB', goal: { of: 'ours', is: '<=', value: 130 } },
    { name: 'writes of an idle minute, 1', goal: { of: 'ours', is: '=', value: 0 } },
    { name: 'CPU of an idle minute, %', goal: { of: 'ours', is: '<=', value: 1 } },
    { name: 'Pod over to the next one made, p99, ms', goal: { of: 'ours', is: '<=', value: 100 } },
    { name: 'Pod over to the next one made, p50, ms' },
  ],
  ours,
};
