/** How fast Pods come to be on Nodes: 1,000 of them created by 32 clients and bound by the scheduler. */
import type { Benchmark, Sample, SideName } from '../benchmark.ts';

const NODES_COUNT = 20;
const PODS_COUNT = 1_000;
const CLIENTS = 32;

const measure = async (side: SideName): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests } = await import('../control-plane/requests.ts');
  const { NODES, PODS, pod, readyNode } = await import('../control-plane/objects.ts');
  const { countTo, until } = await import('../control-plane/until.ts');
  const server = await startServer(side, 'kubernetes');
  try {
    const requests = await createRequests(server.kubeconfigFile, CLIENTS + 1);
    const list = async (path: string): Promise<readonly unknown[]> =>
      JSON.parse((await requests.send('GET', path)).toString()).items;
    for (let at = 0; at < NODES_COUNT; at += 1) await requests.send('POST', NODES, readyNode(`node-${at}`));
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await until('the ServiceAccount of Pods', async () => (await list(accounts)).length > 0);
    await until('Nodes without taints', async () => !JSON.stringify(await list(NODES)).includes('"taints"'));
    const bound = countTo(PODS_COUNT, 'Pods on Nodes');
    await requests.watch(`${PODS}?watch=1&fieldSelector=spec.nodeName!%3D`, ({ object }) =>
      bound.add(object.metadata.name),
    );
    const startedMs = performance.now();
    let next = 0;
    const fill = async (): Promise<void> => {
      while (next < PODS_COUNT) {
        next += 1;
        await requests.send('POST', PODS, pod(`web-${next}`, 'default-scheduler'));
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, fill));
    await bound.reached;
    const elapsedMs = performance.now() - startedMs;
    await requests.close();
    return { 'Pods created and bound, 1/s': (PODS_COUNT / elapsedMs) * 1_000 };
  } finally {
    await server.stop();
  }
};

export const controlPlanePods: Benchmark = {
  id: 'control-plane-pods',
  about: 'the embedded control plane against a real one with its scheduler: 1,000 Pods bound to 20 Nodes',
  figures: [{ name: 'Pods created and bound, 1/s', goal: { of: 'ratio', is: '>=', value: 1 } }],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
