/**
 * How fast `kubectl logs` brings a long log from an agent through a real API server, in turns with a bare server that only sends the same
 * bytes: what kubectl, the API server and two hops of TLS take of this machine is the floor. And straight from the agent's port.
 */
import type { Benchmark, Sample } from '../benchmark.ts';

const LOG_MB = 24;
const LINE = 'a line of a build log, as long as such lines are: compiling Sources/Fleet/Machine.swift for arm64-apple';
const READS = 7;
const NODE = 'mac-0';

const ours = async (): Promise<Sample> => {
  const { PODS, NODES } = await import('../../src/kube/types/core.ts');
  const { openKubeletLab } = await import('../kubelet/lab.ts');
  const { renderJob } = await import('../kubelet/jobs.ts');
  const { cpuMsOf } = await import('../kubelet/first-request.ts');
  const { startBareLogs } = await import('../kubelet/bare-logs.ts');
  const { readStraight } = await import('../kubelet/straight-logs.ts');
  const { until } = await import('../control-plane/until.ts');
  const { median } = await import('../judge.ts');
  const life = new AbortController();
  const { signal } = life;
  const lab = await openKubeletLab('kubernetes');
  try {
    const { client, cluster } = lab;
    const agent = await lab.startAgent(NODE);
    const lines = Math.floor((LOG_MB * 1e6) / (LINE.length + 1));
    const script = `yes '${LINE}' | head -n ${lines} >"$STATUS/runner.log"; echo the end >>"$STATUS/runner.log"; sleep 600`;
    await client.create(PODS, renderJob('talks', NODE, script), { signal });
    const readLog = async (...words: readonly string[]): Promise<string> =>
      (await cluster.kubectl(['logs', ...words])).stdout;
    await until('the end of the log', async () => (await readLog('talks', '--tail=1')) === 'the end\n');
    await startBareLogs({ cluster, client, name: 'bare', text: `${`${LINE}\n`.repeat(lines)}the end\n`, signal });
    const { status } = await client.get(NODES, { name: NODE }, { signal });
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    const cpuMs = (): number => cpuMsOf(Number(agent.child.pid));
    const [agents, bares, straights, cpus]: [number[], number[], number[], number[]] = [[], [], [], []];
    const timed = async (read: () => Promise<number>): Promise<number> => {
      const beganMs = performance.now();
      const bytes = await read();
      return bytes / 1e3 / (performance.now() - beganMs);
    };
    const byKubectl = (pod: string) => async (): Promise<number> => Buffer.byteLength(await readLog(pod));
    for (let at = 0; at < READS; at += 1) {
      const beforeMs = cpuMs();
      agents.push(await timed(byKubectl('talks')));
      cpus.push((LOG_MB * 1e3) / (cpuMs() - beforeMs));
      bares.push(await timed(byKubectl('bare')));
      straights.push(await timed(() => readStraight(cluster, { port, path: '/containerLogs/default/talks/main' })));
    }
    return {
      'kubectl logs, MB/s': median(agents),
      'the same of a bare server, MB/s': median(bares),
      'kubectl logs to that of a bare server, 1': median(agents) / median(bares),
      'straight from the agent, MB/s': median(straights),
      'per second of the agent’s processor, MB': median(cpus),
    };
  } finally {
    life.abort();
    await lab.stop();
  }
};

export const kubeletLogs: Benchmark = {
  id: 'kubelet-logs',
  about: 'kubectl logs of a VM that printed 24 MB, through a real API server, and straight from the agent',
  figures: [
    { name: 'kubectl logs, MB/s', goal: { of: 'ours', is: '>=', value: 50 } },
    { name: 'the same of a bare server, MB/s' },
    { name: 'kubectl logs to that of a bare server, 1', goal: { of: 'ours', is: '>=', value: 0.9 } },
    { name: 'straight from the agent, MB/s', goal: { of: 'ours', is: '>=', value: 50 } },
    { name: 'per second of the agent’s processor, MB' },
  ],
  ours,
};
