/**
 * How long after a write began each of a thousand watchers has the event: as the programs of a cluster watch, fifty on each
 * connection of HTTP/2, and as a thousand strangers would, each on a connection of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Sample, SideName } from '../benchmark.ts';
import type { Requests } from '../control-plane/requests.ts';
import type { Watchers } from '../control-plane/watchers.ts';

const WATCHERS = 1_000;
const SHARING = { connections: 20, watchersEach: 50 };
/** The first few warm up both ends and are not counted. */
const WARMING_EVENTS = 20;
const EVENTS = 50;
const BETWEEN_MS = 50;

const measure = async (side: SideName): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests } = await import('../control-plane/requests.ts');
  const { readLogin } = await import('../control-plane/login.ts');
  const { openWatchers } = await import('../control-plane/watchers.ts');
  const { openSharedWatchers } = await import('../control-plane/shared-watchers.ts');
  const { CONFIG_MAPS } = await import('../control-plane/objects.ts');
  const server = await startServer(side);
  try {
    const login = await readLogin(server.kubeconfigFile);
    const path = `${CONFIG_MAPS}?watch=1&labelSelector=app%3Dbench`;
    const writing = await createRequests(server.kubeconfigFile, 1);
    const shared = await timesOf(await openSharedWatchers(login, path, SHARING), writing, 'shared');
    const own = await timesOf(await openWatchers(login, path, WATCHERS), writing, 'own');
    await writing.close();
    return {
      'event to 1,000 watchers on 20 connections p99, ms': percentile(shared.delaysMs, 0.99),
      'event to 1,000 watchers on 20 connections p50, ms': percentile(shared.delaysMs, 0.5),
      'of that until the write is answered, ms': percentile(shared.writesMs, 0.5),
      'event to 1,000 watchers on 1,000 connections p99, ms': percentile(own.delaysMs, 0.99),
      'event to 1,000 watchers on 1,000 connections p50, ms': percentile(own.delaysMs, 0.5),
    };
  } finally {
    await server.stop();
  }
};

interface Times {
  readonly delaysMs: readonly number[];
  readonly writesMs: readonly number[];
}

/** Closes the watchers in the end. */
const timesOf = async (watchers: Watchers, writing: Requests, prefix: string): Promise<Times> => {
  const { CONFIG_MAPS, smallConfigMap } = await import('../control-plane/objects.ts');
  const delaysMs: number[] = [];
  const writesMs: number[] = [];
  for (let event = 0; event < WARMING_EVENTS + EVENTS; event += 1) {
    await sleep(BETWEEN_MS);
    const startMs = performance.now();
    let writtenMs = 0;
    const arrivedMs = await watchers.arrivals(async () => {
      await writing.send('POST', CONFIG_MAPS, smallConfigMap(`${prefix}-${event}`));
      writtenMs = performance.now();
    });
    if (event < WARMING_EVENTS) continue;
    writesMs.push(writtenMs - startMs);
    delaysMs.push(...arrivedMs.map((ms) => ms - startMs));
  }
  watchers.close();
  return { delaysMs, writesMs };
};

const percentile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
};

export const controlPlaneWatch: Benchmark = {
  id: 'control-plane-watch',
  about: 'the embedded control plane against kube-apiserver and etcd: one event to 1,000 watchers',
  figures: [
    { name: 'event to 1,000 watchers on 20 connections p99, ms', goal: { of: 'ours', is: '<=', value: 20 } },
    { name: 'event to 1,000 watchers on 20 connections p50, ms' },
    { name: 'of that until the write is answered, ms' },
    // As no program does it: a bare Node server needs 20 ms for so many TLS records alone.
    { name: 'event to 1,000 watchers on 1,000 connections p99, ms', goal: { of: 'ratio', is: '<=', value: 1 } },
    { name: 'event to 1,000 watchers on 1,000 connections p50, ms' },
  ],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
