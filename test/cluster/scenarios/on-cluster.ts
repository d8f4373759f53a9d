/** Runs a scenario on a real Kubernetes: in a namespace and on Nodes of its own, so that others may run beside it. */
import { neverAborted } from '../../../src/base/abort.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { createIds } from '../../../src/base/ids.ts';
import { NAMESPACES } from '../../../src/kube/types/core.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { createScenarioApi } from '../../scenarios/scenario-api.ts';
import type { Cluster } from '../bench/cluster.ts';
import { parts } from '../kube/scene.ts';
import { openMachinePark } from './machine-park.ts';
import { createNodePark, type NodePark } from './node-park.ts';

const PATIENCE = { limitMs: 60_000, lookEveryMs: 150 };
const SCENARIO_LABEL = 'scenario.macfleet.dev/name';
const NODE_NAMES = ['alpha', 'beta', 'gamma'];

export interface ClusterPlay {
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  /** Of the node agents. */
  readonly agentClock?: Clock;
}

/** Gives the end state. */
export const playOnCluster = async (scenario: Scenario, play: ClusterPlay): Promise<unknown> => {
  const { cluster, signal } = play;
  const { clock, random } = parts();
  const client = await cluster.client();
  const namespace = `scenario-${createIds(random).suffix(6)}`;
  const nodes = createNodePark(cluster, play.agentClock ?? clock);
  const startNode = (name: string): void => startPlainNode(nodes, namespace, name);
  await client.create(NAMESPACES, { metadata: { name: namespace } }, { signal });
  const api = createScenarioApi({
    ...{ kube: client, clock, signal, patience: PATIENCE, namespace, startNode },
    nodeSelector: { [SCENARIO_LABEL]: namespace },
    isOwnNode: nodes.has,
    stopNode: nodes.stop,
  });
  try {
    if (scenario.needs === 'nodes') {
      for (const name of NODE_NAMES) startNode(`${name}-${namespace}`);
      return await scenario.run(api);
    }
    const machines = await openMachinePark({ cluster, client, namespace, nodes }, signal);
    return await scenario.run(api).finally(() => machines.close());
  } finally {
    await client.delete(NAMESPACES, { name: namespace }, { signal: neverAborted() });
    await nodes.close();
  }
};

const startPlainNode = (nodes: NodePark, namespace: string, nodeName: string): void =>
  nodes.start({
    ...{ nodeName, providerId: `scripted://${nodeName}`, labels: { [SCENARIO_LABEL]: namespace } },
    capacity: { cpu: '8', memory: '16Gi', pods: '5' },
  });
