/** How long after a write began the last of a thousand watchers has the event. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Sample, SideName } from '../benchmark.ts';

const WATCHERS = 1_000;
/** The first few warm up both ends and are not counted. */
const WARMING_EVENTS = 10;
const EVENTS = WARMING_EVENTS + 30;
const OPENED_AT_ONCE = 50;
const BETWEEN_MS = 100;

const measure = async (side: SideName): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests } = await import('../control-plane/requests.ts');
  const { CONFIG_MAPS } = await import('../control-plane/objects.ts');
  const server = await startServer(side);
  try {
    const watching = await createRequests(server.kubeconfigFile, WATCHERS);
    const writing = await createRequests(server.kubeconfigFile, 1);
    const delaysMs: number[] = [];
    let sentMs = 0;
    const path = `${CONFIG_MAPS}?watch=1&resourceVersion=0&labelSelector=app%3Dbench`;
    for (let open = 0; open < WATCHERS; open += OPENED_AT_ONCE) {
      const some = Array.from({ length: OPENED_AT_ONCE }, () =>
        watching.follow(path, () => void delaysMs.push(performance.now() - sentMs)),
      );
      await Promise.all(some);
    }
    for (let event = 0; event < EVENTS; event += 1) {
      await sleep(BETWEEN_MS);
      sentMs = performance.now();
      const object = { metadata: { name: `e${event}`, labels: { app: 'bench' } }, data: { text: 'x'.repeat(500) } };
      await writing.send('POST', CONFIG_MAPS, JSON.stringify(object));
      while (delaysMs.length < WATCHERS * (event + 1)) await sleep(1);
    }
    const sorted = delaysMs.slice(WARMING_EVENTS * WATCHERS).toSorted((left, right) => left - right);
    await Promise.all([watching.close(), writing.close()]);
    const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
    return { 'event to 1,000 watchers p99, ms': at(0.99), 'event to 1,000 watchers p50, ms': at(0.5) };
  } finally {
    await server.stop();
  }
};

export const controlPlaneWatch: Benchmark = {
  id: 'control-plane-watch',
  about: 'the embedded control plane against kube-apiserver and etcd: one event to 1,000 watchers',
  figures: [
    { name: 'event to 1,000 watchers p99, ms', goal: { of: 'ours', is: '<=', value: 20 } },
    { name: 'event to 1,000 watchers p50, ms' },
  ],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
