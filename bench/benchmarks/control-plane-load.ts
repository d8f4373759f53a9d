/** What a control plane gets through over HTTPS with 32 clients: durable writes, reads, and large lists. */
import type { Benchmark, Sample, SideName } from '../benchmark.ts';

const CLIENTS = 32;
const LISTED = 3_000;
const LISTS = 5;

const measure = async (side: SideName): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests, rateOf } = await import('../control-plane/requests.ts');
  const { CONFIG_MAPS, configMap } = await import('../control-plane/objects.ts');
  const { median } = await import('../judge.ts');
  const server = await startServer(side);
  try {
    const { send, close } = await createRequests(server.kubeconfigFile, CLIENTS);
    let written = 0;
    const write = (): Promise<unknown> => {
      written += 1;
      return send('POST', CONFIG_MAPS, configMap(`c${written}`));
    };
    const writes = await rateOf(CLIENTS, write);
    while (written < LISTED) await Promise.all(Array.from({ length: CLIENTS }, write));
    const reads = await rateOf(CLIENTS, (at) => send('GET', `${CONFIG_MAPS}/c${1 + (at % 1_000)}`));
    const listMs: number[] = [];
    for (let list = 0; list < LISTS; list += 1) {
      const startedMs = performance.now();
      await send('GET', `${CONFIG_MAPS}?limit=${LISTED}`);
      listMs.push(performance.now() - startedMs);
    }
    await close();
    const lists = 1_000 / median(listMs);
    return { 'durable writes/s': writes, 'reads/s': reads, 'lists of 3,000 x 3 KB, 1/s': lists };
  } finally {
    await server.stop();
  }
};

export const controlPlaneLoad: Benchmark = {
  id: 'control-plane-load',
  about: 'the embedded control plane against kube-apiserver and etcd: writes, reads and lists with 32 clients',
  figures: [
    { name: 'durable writes/s', goal: { of: 'ratio', is: '>=', value: 2 } },
    { name: 'reads/s', goal: { of: 'ratio', is: '>=', value: 2 } },
    { name: 'lists of 3,000 x 3 KB, 1/s', goal: { of: 'ratio', is: '>=', value: 1 } },
  ],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
