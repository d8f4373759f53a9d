/** `up` all in one process, agents and all, with twenty Macs. */
import type { Benchmark, Sample } from '../benchmark.ts';

const FIGURE = 'RSS with 20 Macs, MB';

const ours = async (): Promise<Sample> => {
  const { measureHeldMb } = await import('../up/held-memory.ts');
  return { [FIGURE]: await measureHeldMb(20) };
};

export const upMemory: Benchmark = {
  id: 'up-memory',
  about: 'what `macfleet up` holds with 20 step-level Macs, in one process, with CI jobs flowing',
  figures: [{ name: FIGURE, goal: { of: 'ours', is: '<=', value: 300 } }],
  ours,
};
