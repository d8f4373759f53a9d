/** How fast a fleet grows where hardware is there at once: a MachineDeployment gets 500 more Machines, each bound to its Node. */
import type { Benchmark, Sample, SideName } from '../benchmark.ts';

const MACHINES_COUNT = 500;
const CONNECTIONS = 34;

const measure = async (side: SideName): Promise<Sample> => {
  const { startServer } = await import('../control-plane/server.ts');
  const { createRequests } = await import('../control-plane/requests.ts');
  const { DEPLOYMENT, openFleet, pathOf } = await import('../control-plane/instant-infrastructure.ts');
  const { countTo } = await import('../control-plane/until.ts');
  const { CLUSTER_API_RESOURCES } = await import('../../src/kube/types/cluster-api.ts');
  const { fieldsOf } = await import('../../src/controlplane/store/object.ts');
  const server = await startServer(side, 'cluster-api');
  try {
    const requests = await createRequests(server.kubeconfigFile, CONNECTIONS);
    const first = countTo(1, 'the first Machine with a Node');
    const all = countTo(MACHINES_COUNT + 1, 'Machines with Nodes');
    await openFleet(requests, server.kubeconfigFile);
    await requests.watch(`${pathOf(CLUSTER_API_RESOURCES.machines)}?watch=1`, ({ object }) => {
      if (fieldsOf(object['status'])['nodeRef'] === undefined) return;
      first.add(object.metadata.name);
      all.add(object.metadata.name);
    });
    // The first one shows that everything is in place; it is not counted.
    await first.reached;
    const startedMs = performance.now();
    await requests.send('PATCH', DEPLOYMENT, JSON.stringify({ spec: { replicas: MACHINES_COUNT + 1 } }));
    await all.reached;
    const boundMs = performance.now() - startedMs;
    await requests.close();
    return { '500 Machines bound, ms': boundMs };
  } finally {
    await server.stop();
  }
};

export const controlPlaneMachines: Benchmark = {
  id: 'control-plane-machines',
  about: 'the embedded control plane against Cluster API core: 500 Machines bound with an instant infrastructure',
  figures: [{ name: '500 Machines bound, ms', goal: { of: 'ratio', is: '<=', value: 0.3333 } }],
  ours: () => measure('ours'),
  peer: () => measure('peer'),
};
