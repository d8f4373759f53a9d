/** How long a control plane takes to be there, and how much memory it has with a large fleet's Pods. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Sample, SideName } from '../benchmark.ts';

const PODS_COUNT = 5_000;
const CLIENTS = 32;
/** Long enough for both to be done with what the Pods caused, and to give back what they no longer need. */
const SETTLE_MS = 15_000;

const measure = async (side: SideName): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests } = await import('../control-plane/requests.ts');
  const { PODS, pod } = await import('../control-plane/objects.ts');
  const server = await startServer(side);
  try {
    const requests = await createRequests(server.kubeconfigFile, CLIENTS);
    if (side === 'peer') {
      // Its controller manager would make this; it is not part of what is compared.
      const account = JSON.stringify({ metadata: { name: 'default' } });
      await requests.send('POST', '/api/v1/namespaces/default/serviceaccounts', account);
    }
    let next = 0;
    const fill = async (): Promise<void> => {
      while (next < PODS_COUNT) {
        next += 1;
        await requests.send('POST', PODS, pod(`web-${next}`));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, fill));
    await sleep(SETTLE_MS);
    const rssMb = server.rssMb();
    await requests.close();
    return { 'start to ready, ms': server.startMs, 'RSS with 5,000 Pods, MB': rssMb };
  } finally {
    await server.stop();
  }
};

export const controlPlaneStart: Benchmark = {
  id: 'control-plane-start',
  about: 'the embedded control plane against kube-apiserver and etcd: start, and memory with 5,000 Pods',
  figures: [
    { name: 'start to ready, ms', goal: { of: 'ratio', is: '<=', value: 0.15 } },
    { name: 'RSS with 5,000 Pods, MB', goal: { of: 'ratio', is: '<=', value: 0.25 } },
  ],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
