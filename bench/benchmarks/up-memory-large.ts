/** `up` all in one process with as many Macs as it takes: by itself, because it runs for minutes. */
import type { Benchmark, Sample } from '../benchmark.ts';

const FIGURE = 'RSS with 1,000 Macs, MB';

const ours = async (): Promise<Sample> => {
  const { measureHeldMb } = await import('../up/held-memory.ts');
  return { [FIGURE]: await measureHeldMb(1_000) };
};

export const upMemoryLarge: Benchmark = {
  id: 'up-memory-large',
  about: 'what `macfleet up` holds with 1,000 step-level Macs, in one process',
  figures: [{ name: FIGURE, goal: { of: 'ours', is: '<=', value: 400 } }],
  ours,
};
