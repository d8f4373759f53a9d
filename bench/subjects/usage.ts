/** What a process has used: processor time, and memory after a garbage collection. */
import { setTimeout as sleep } from 'node:timers/promises';

/** User and system time of this process so far. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

export interface MemoryUse {
  readonly heapMb: number;
  readonly rssMb: number;
}

/** Long enough for what is still under way to end and let go of its buffers. */
export const settle = (): Promise<void> => sleep(300);

/** Asks for several collections, because what the first one finalizes only the next one frees. */
export const settledMemory = async (): Promise<MemoryUse> => {
  if (globalThis.gc === undefined) throw new TypeError('memory is measured under --expose-gc');
  for (let times = 0; times < 3; times += 1) {
    await settle();
    globalThis.gc();
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heapMb: heapUsed / 1e6, rssMb: rss / 1e6 };
};
