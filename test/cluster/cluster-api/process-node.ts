/** A Node in this process whose Pods are processes of this machine, in a namespace of the same name. */
import { join } from 'node:path';
import { neverAborted } from '../../../src/base/abort.ts';
import { createSystemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { createSystemRandom } from '../../../src/base/random.ts';
import { NODE_GROUP, nodeUserOf } from '../../../src/kube/node/node-certificate.ts';
import { NAMESPACES, NODES, PODS } from '../../../src/kube/types/core.ts';
import type { Pod } from '../../../src/kube/types/pod.ts';
import { runNodeAgent } from '../../../src/sim/node/node-agent.ts';
import type { Cluster } from '../bench/cluster.ts';
import { createLocalProcesses } from './local-processes.ts';
import { cacheOf, openView } from './view.ts';

export interface ProcessNode {
  /** Of the Node and of the namespace. */
  readonly name: string;
  /** As the API server has them, oldest first. */
  podsOf(label: `${string}=${string}`): readonly Pod[];
  /** The Pod of that name, if it is as wanted. */
  pod(name: string, isWanted: (pod: Pod) => boolean): Pod | undefined;
  until<T>(fact: string, look: () => T): Promise<Exclude<T, undefined | false>>;
  close(): Promise<void>;
}

export const openProcessNode = async (cluster: Cluster, name: string): Promise<ProcessNode> => {
  const [clock, random] = [createSystemClock(), createSystemRandom()];
  const client = await cluster.client();
  await client.create(NAMESPACES, { metadata: { name } }, { signal: neverAborted() });
  const processes = createLocalProcesses({ dir: join(cluster.dir, name), clock, random });
  const life = new AbortController();
  const identity = await cluster.kubeconfigFor({ name: nodeUserOf(name), groups: [NODE_GROUP] });
  const ended = runNodeAgent(
    {
      ...{ client: await cluster.client(identity), clock, random },
      ...{ logger: silentLogger, processes, nodeName: name, providerId: `local://${name}`, labels: {} },
      capacity: { cpu: '8', memory: '8Gi', pods: '20' },
    },
    life.signal,
  );
  const pods = cacheOf({ client, namespace: name }, PODS);
  const { until, close } = await openView([pods]);
  return {
    name,
    podsOf: (label) => {
      const [key = '', value] = label.split('=');
      return pods.list().filter(({ metadata }) => metadata.labels?.[key] === value);
    },
    pod: (podName, isWanted) => {
      const pod = pods.get(`${name}/${podName}`);
      return pod !== undefined && isWanted(pod) ? pod : undefined;
    },
    until,
    close: async () => {
      life.abort();
      await ended;
      await processes.close();
      close();
      await client.delete(NODES, { name }, { signal: neverAborted() });
      await client.delete(NAMESPACES, { name }, { signal: neverAborted() });
    },
  };
};
