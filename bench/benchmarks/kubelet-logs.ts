/** How fast `kubectl logs` brings a long log from an agent through a real API server. */
import type { Benchmark, Sample } from '../benchmark.ts';

const LOG_MB = 24;
const LINE = 'a line of a build log, as long as such lines are: compiling Sources/Fleet/Machine.swift for arm64-apple';
const READS = 5;
const NODE = 'mac-0';

const ours = async (): Promise<Sample> => {
  const { neverAborted } = await import('../../src/base/abort.ts');
  const { PODS } = await import('../../src/kube/types/core.ts');
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { renderJob } = await import('../kubelet/jobs.ts');
  const { cpuMsOf } = await import('../kubelet/first-request.ts');
  const { until } = await import('../control-plane/until.ts');
  const { median } = await import('../judge.ts');
  const signal = neverAborted();
  const lab = await openKubeletLab('kubernetes');
  try {
    const { client, cluster } = lab;
    const agent = await lab.startAgent(NODE);
    const lines = Math.floor((LOG_MB * 1e6) / (LINE.length + 1));
    const script = `yes '${LINE}' | head -n ${lines} >"$STATUS/runner.log"; echo the end >>"$STATUS/runner.log"; sleep 600`;
    await client.create(PODS, renderJob('talks', NODE, script), { signal });
    const kubectl = async (...words: readonly string[]): Promise<string> =>
      (await cluster.kubectl(['logs', 'talks', ...words])).stdout;
    await until('the end of the log', async () => (await kubectl('--tail=1')) === 'the end\n');
    const tookMs: number[] = [];
    const cpuBeforeMs = cpuMsOf(Number(agent.child.pid));
    let bytes = 0;
    for (let at = 0; at < READS; at += 1) {
      const beganMs = performance.now();
      bytes = Buffer.byteLength(await kubectl());
      tookMs.push(performance.now() - beganMs);
    }
    const cpuMs = (cpuMsOf(Number(agent.child.pid)) - cpuBeforeMs) / READS;
    return {
      'kubectl logs, MB/s': bytes / 1e3 / median(tookMs),
      'per second of the agent’s processor, MB': bytes / 1e3 / cpuMs,
    };
  } finally {
    await lab.stop();
  }
};

export const kubeletLogs: Benchmark = {
  id: 'kubelet-logs',
  about: 'kubectl logs of a VM that printed 24 MB, through a real API server',
  figures: [
    { name: 'kubectl logs, MB/s', goal: { of: 'ours', is: '>=', value: 50 } },
    { name: 'per second of the agent’s processor, MB' },
  ],
  ours,
};
