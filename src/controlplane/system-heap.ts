/** Adapter: the heap of this process. It can be collected on demand when Node was started with `--expose-gc`. */
import { setFlagsFromString } from 'node:v8';
import type { Growth, Heap } from './idle-collection.ts';

/** By which factor the space for new objects grows, and by how much of what is in use the rest may; 0 leaves that to the engine. */
const FLAGS: Readonly<Record<Growth, readonly string[]>> = {
  burst: ['--semi-space-growth-factor=2', '--heap-growing-percent=50'],
  calm: ['--semi-space-growth-factor=1', '--heap-growing-percent=0'],
};

export const createSystemHeap = (): Heap => {
  const { gc } = globalThis;
  let last = performance.eventLoopUtilization();
  let growth: Growth | undefined;
  return {
    sizeBytes: () => {
      const { heapTotal, external } = process.memoryUsage();
      return heapTotal + external;
    },
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    setGrowth: (wanted) => {
      if (wanted === growth) return;
      growth = wanted;
      for (const flag of FLAGS[wanted]) setFlagsFromString(flag);
    },
    // The flavour that also gives back the space for new objects, and the code and buffers that nobody uses.
    collect: gc && (() => void gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })),
  };
};

const POOL_BYTES = 8 * 1024;

/** Node cuts small Buffers from larger pieces, and one that is kept keeps its whole piece: of 64 KiB unless told otherwise. */
export const shrinkBufferPool = (): void => {
  Buffer.poolSize = POOL_BYTES;
};
