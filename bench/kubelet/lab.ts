/**
 * Agents as they run on Macs, from the bundle and as processes of their own, on a real API server whose etcd syncs its disk. Each has a
 * folder for a Mac and a light Tart; what they cost the API server is what that itself counts.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { neverAborted } from '../../src/base/abort.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { NODES, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import type { Cluster, ClusterParts } from '../../test/cluster/bench/cluster.ts';
import { startCluster } from '../../test/cluster/bench.ts';
import { approveServing, createAgents } from '../../test/tart-kubelet/agent-process.ts';
import { until } from '../control-plane/until.ts';
import { type BareAgent, startBareAgent } from './bare-agent.ts';
import { countRequests } from './count-requests.ts';
import { installAgent } from './installed-agent.ts';
import { installLightTart } from './light-tart.ts';

export interface AgentProcess extends BareAgent {
  readonly child: ChildProcess;
}

export interface KubeletLab {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  /** Settles when its Node is ready. */
  startAgent(nodeName: string): Promise<AgentProcess>;
  /** In this process, and without a Node object. */
  startBareAgent(nodeName: string): Promise<BareAgent>;
  /** Of the API server so far, as count-requests.ts tells them. */
  countRequests(): Promise<ReadonlyMap<string, number>>;
  stop(): Promise<void>;
}

const signal = neverAborted();

/** With its controllers, certificates that agents want to serve with are approved. */
export const openKubeletLab = async (parts: ClusterParts = 'api'): Promise<KubeletLab> => {
  const folder = mkdtempSync(join(tmpdir(), 'macfleet-bench-'));
  const command = await installAgent(folder);
  const cluster = await startCluster({ parts, disk: 'synced', clientLimits: 'lifted' }, { print: () => undefined });
  const client = await cluster.client();
  // Without its controller nobody makes the account that Pods need.
  const account = { metadata: { name: 'default', namespace: 'default' } };
  if (parts === 'api') await client.create(SERVICE_ACCOUNTS, account, { signal });
  const approving = new AbortController();
  if (parts !== 'api') void approveServing(client, approving.signal);
  const stops: (() => Promise<void>)[] = [async () => approving.abort()];
  return {
    cluster,
    client,
    startAgent: async (nodeName) => {
      const home = join(folder, nodeName);
      mkdirSync(home, { recursive: true });
      const kubeconfig = await cluster.kubeconfigFor({ name: `system:node:${nodeName}`, groups: ['system:nodes'] });
      const agents = createAgents({
        folder: home,
        nodeName,
        kubeconfig,
        labels: 'tuist.dev/fleet=ci',
        command: [command],
      });
      const tart = installLightTart(agents.tart);
      stops.push(agents.stop);
      const { child } = agents.start();
      await until(`${nodeName} to be ready`, () => isReady(client, nodeName));
      return { nodeName, tart, child };
    },
    startBareAgent: (nodeName) => {
      const home = join(folder, nodeName);
      mkdirSync(home);
      const life = new AbortController();
      stops.push(async () => life.abort());
      return startBareAgent({ client, folder: home, nodeName, signal: life.signal });
    },
    countRequests: () => countRequests(client, signal),
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const isReady = async (client: KubeClient, nodeName: string): Promise<boolean> => {
  const { items } = await client.list(NODES, { fieldSelector: `metadata.name=${nodeName}`, signal });
  return items.some(({ status }) =>
    status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
  );
};
