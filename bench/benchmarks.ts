/** Every benchmark there is, in the order in which they run. */
import type { Benchmark } from './benchmark.ts';
import { events } from './benchmarks/events.ts';
import { importRuntime } from './benchmarks/import-runtime.ts';
import { kernel } from './benchmarks/kernel.ts';
import { listHold } from './benchmarks/list-hold.ts';
import { queue } from './benchmarks/queue.ts';
import { requests } from './benchmarks/requests.ts';

export const BENCHMARKS: readonly Benchmark[] = [listHold, requests, events, importRuntime, kernel, queue];
