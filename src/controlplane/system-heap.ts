/** Adapter: the heap of this process. It can be collected on demand when Node was started with `--expose-gc`. */
import { setFlagsFromString } from 'node:v8';
import type { Heap, YoungGrowth } from './idle-collection.ts';

/** By how much the engine lets the space for new objects grow, each time that enough of them have survived. Its own is 2. */
const GROWTH_FACTOR: Readonly<Record<YoungGrowth, number>> = { grows: 2, stays: 1 };

export const createSystemHeap = (): Heap => {
  const { gc } = globalThis;
  let last = performance.eventLoopUtilization();
  let growth: YoungGrowth = 'grows';
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
    setYoungGrowth: (wanted) => {
      if (wanted === growth) return;
      growth = wanted;
      setFlagsFromString(`--semi-space-growth-factor=${GROWTH_FACTOR[wanted]}`);
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
