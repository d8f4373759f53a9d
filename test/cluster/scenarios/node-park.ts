/** Scripted node agents on a real cluster, each with the identity of its Node and no other right. */
import { neverAborted } from '../../../src/base/abort.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { isKind } from '../../../src/base/errors.ts';
import { NODE_GROUP, nodeUserOf } from '../../../src/kube/node/node-certificate.ts';
import { NODES } from '../../../src/kube/types/core.ts';
import { runNodeAgent } from '../../../src/sim/node/node-agent.ts';
import type { NodeFacts } from '../../../src/sim/node/node-object.ts';
import type { Cluster } from '../bench/cluster.ts';
import { parts } from '../kube/scene.ts';

export interface NodePark {
  /** Again for one that was stopped: it comes back. */
  start(facts: NodeFacts): void;
  /** As when its cable is pulled. */
  stop(name: string): void;
  /** Whether an agent of this park was ever started under that name. */
  has(name: string): boolean;
  /** Stops all and takes their Nodes away; throws what made an agent fail. */
  close(): Promise<void>;
}

export const createNodePark = (cluster: Cluster, clock: Clock): NodePark => {
  const lives = new Map<string, AbortController>();
  const runs: Promise<void>[] = [];
  const run = async (facts: NodeFacts, signal: AbortSignal): Promise<void> => {
    const identity = await cluster.kubeconfigFor({ name: nodeUserOf(facts.nodeName), groups: [NODE_GROUP] });
    const client = await cluster.client(identity);
    await runNodeAgent({ ...parts(), clock, client, ...facts }, signal);
  };
  return {
    start: (facts) => {
      const life = new AbortController();
      lives.set(facts.nodeName, life);
      runs.push(run(facts, life.signal));
    },
    stop: (name) => lives.get(name)?.abort(),
    has: (name) => lives.has(name),
    close: async () => {
      for (const life of lives.values()) life.abort();
      const ends = await Promise.allSettled(runs);
      const client = await cluster.client();
      for (const name of lives.keys()) {
        await client.delete(NODES, { name }, { signal: neverAborted() }).catch((error: unknown) => {
          if (!isKind(error, 'not-found')) throw error;
        });
      }
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
};
