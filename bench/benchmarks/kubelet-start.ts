/**
 * What a roll sends to every Mac, and how long the agent takes from the start of its command to its first request: on a Mac where it ran
 * before, and on one that has never seen it. The floor is a Node.js that does nothing but ask the same server.
 */
import type { Benchmark, Sample } from '../benchmark.ts';
import type { Start } from '../kubelet/first-request.ts';

const STARTS = 7;

const ours = async (): Promise<Sample> => {
  const { mkdtempSync, rmSync, statSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const { median } = await import('../judge.ts');
  const { bundleOf, codeOf, installAgent } = await import('../kubelet/installed-agent.ts');
  const { openStarts } = await import('../kubelet/first-request.ts');
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-bench-'));
  const code = codeOf(folder);
  const starts = await openStarts(await installAgent(folder), folder);
  try {
    const [first, again, bare]: [Start[], Start[], Start[]] = [[], [], []];
    // Killed long before it would keep its code.
    for (let at = 0; at < STARTS; at += 1) first.push(await starts.first(`first-${at}`));
    await starts.warm(code);
    for (let at = 0; at < STARTS; at += 1) {
      again.push(await starts.again(`again-${at}`));
      bare.push(await starts.bare());
    }
    const wallMs = (of: readonly Start[]): number => median(of.map((start) => start.wallMs));
    const cpuMs = (of: readonly Start[]): number => median(of.map((start) => start.cpuMs));
    return {
      'bundle, MB': statSync(bundleOf(folder)).size / 1e6,
      'start to first request, ms': wallMs(again),
      'CPU until then, ms': cpuMs(again),
      'the same of a bare Node, ms': wallMs(bare),
      'CPU of a bare Node, ms': cpuMs(bare),
      'first start ever, ms': wallMs(first),
      'CPU of the first start ever, ms': cpuMs(first),
    };
  } finally {
    starts.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

export const kubeletStart: Benchmark = {
  id: 'kubelet-start',
  about:
    'the bundle of tart-kubelet: its size, and from the start of its command to its first request to an API server',
  figures: [
    { name: 'bundle, MB', goal: { of: 'ours', is: '<=', value: 1 } },
    { name: 'start to first request, ms', goal: { of: 'ours', is: '<=', value: 200 } },
    { name: 'CPU until then, ms' },
    { name: 'the same of a bare Node, ms' },
    { name: 'CPU of a bare Node, ms' },
    { name: 'first start ever, ms' },
    { name: 'CPU of the first start ever, ms' },
  ],
  ours,
};
