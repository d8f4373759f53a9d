/** Adapter: the heap of this process. It can be collected on demand when Node was started with `--expose-gc`. */
import type { Heap } from './idle-collection.ts';

export const createSystemHeap = (): Heap => {
  const { gc } = globalThis;
  let last = performance.eventLoopUtilization();
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
    // The flavour that also gives back the space for new objects, and the code and buffers that nobody uses.
    collect: gc && (() => void gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })),
  };
};

const POOL_BYTES = 8 * 1024;

/** Node cuts small Buffers from larger pieces, and one that is kept keeps its whole piece: of 64 KiB unless told otherwise. */
export const shrinkBufferPool = (): void => {
  Buffer.poolSize = POOL_BYTES;
};
