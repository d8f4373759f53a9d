/** B7 and B8: what an agent holds and asks while its one VM just runs. */
import type { Benchmark, Sample } from '../benchmark.ts';

/** Past what starting took: its collector runs after ten seconds, and the label of its first image comes within thirty. */
const SETTLE_MS = 40_000;
const IDLE_MS = 60_000;
const NODE = 'mac-0';

const ours = async (): Promise<Sample> => {
  const { readFileSync } = await import('node:fs');
  const { setTimeout: sleep } = await import('node:timers/promises');
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { LEASES } = await import('../../src/kube/types/coordination.ts');
  const { PODS } = await import('../../src/kube/types/core.ts');
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { renderJob } = await import('../kubelet/jobs.ts');
  const { cpuMsOf } = await import('../kubelet/first-request.ts');
  const { until } = await import('../control-plane/until.ts');
  const signal = neverAborted();
  const lab = await openKubeletLab();
  try {
    const { client } = lab;
    const agent = await lab.startAgent(NODE);
    await client.create(PODS, renderJob('idles', NODE, 'sleep 600'), { signal });
    const readPod = () => client.get(PODS, { namespace: 'default', name: 'idles' }, { signal });
    await until('its Pod to run', async () => (await readPod()).status?.phase === 'Running');
    await sleep(SETTLE_MS);
    const proc = (file: string): string => readFileSync(`/proc/${agent.child.pid}/${file}`, 'utf8');
    const cpuMs = (): number => cpuMsOf(Number(agent.child.pid));
    const readLease = () => client.get(LEASES, { namespace: 'kube-node-lease', name: NODE }, { signal });
    const renewals = new Set<string>();
    const [before, cpuBefore] = [await lab.countRequests(), cpuMs()];
    for (const endMs = performance.now() + IDLE_MS; performance.now() < endMs; await sleep(1_000))
      renewals.add(String((await readLease()).spec?.renewTime));
    const [after, cpuAfter] = [await lab.countRequests(), cpuMs()];
    const memory = proc('status');
    const kb = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(memory)?.[1]);
    const writes = [...after].reduce((sum, [key, count]) => {
      // Whatever an agent may write but its Lease; the API server itself writes other kinds now and then.
      const isWrite = /^(POST|PUT|PATCH|DELETE|APPLY) (nodes|pods|events|certificates|serviceaccounts)/.test(key);
      return isWrite ? sum + count - (before.get(key) ?? 0) : sum;
    }, 0);
    return {
      'RSS, MB': kb('VmRSS') / 1_000,
      'of it anonymous, MB': kb('RssAnon') / 1_000,
      // The one that stood there is not one of this minute.
      'Lease renewals per minute, 1': renewals.size - 1,
      'other writes per minute, 1': writes,
      'CPU per minute, ms': cpuAfter - cpuBefore,
    };
  } finally {
    await lab.stop();
  }
};

export const kubeletIdle: Benchmark = {
  id: 'kubelet-idle',
  about:
    'tart-kubelet whose one VM just runs, for a minute: memory, processor, and what it writes to a real API server',
  figures: [
    { name: 'RSS, MB', goal: { of: 'ours', is: '<=', value: 110 } },
    { name: 'of it anonymous, MB', goal: { of: 'ours', is: '<=', value: 30 } },
    { name: 'Lease renewals per minute, 1', goal: { of: 'ours', is: '<=', value: 6 } },
    { name: 'other writes per minute, 1', goal: { of: 'ours', is: '=', value: 0 } },
    { name: 'CPU per minute, ms' },
  ],
  ours,
};
