/** What a roll sends to every Mac, and how long the agent takes from the start of its process to its first request. */
import type { Benchmark, Sample } from '../benchmark.ts';
import type { Start } from '../kubelet/first-request.ts';

const STARTS = 5;

const ours = async (): Promise<Sample> => {
  const { mkdtempSync, rmSync, statSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const { median } = await import('../judge.ts');
  const { writeBundle } = await import('../kubelet/lab.ts');
  const { startOnce, startNode } = await import('../kubelet/first-request.ts');
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-bench-'));
  try {
    const program = await writeBundle(folder);
    const [agent, node]: [Start[], Start[]] = [[], []];
    for (let at = 0; at < STARTS; at += 1) {
      agent.push(await startOnce(join(folder, `mac-${at}`), program));
      node.push(await startNode());
    }
    return {
      'bundle, MB': statSync(program).size / 1e6,
      'start to first request, ms': median(agent.map(({ wallMs }) => wallMs)),
      'CPU until then, ms': median(agent.map(({ cpuMs }) => cpuMs)),
      'start of Node alone, ms': median(node.map(({ wallMs }) => wallMs)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const kubeletStart: Benchmark = {
  id: 'kubelet-start',
  about:
    'the bundle of tart-kubelet: its size, and from the start of its process to its first request to an API server',
  figures: [
    { name: 'bundle, MB', goal: { of: 'ours', is: '<=', value: 1 } },
    { name: 'start to first request, ms', goal: { of: 'ours', is: '<=', value: 200 } },
    { name: 'CPU until then, ms' },
    { name: 'start of Node alone, ms' },
  ],
  ours,
};
