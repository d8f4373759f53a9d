/** Keeps the Node object: registers it, again when it was deleted, and reports its status when it differs. */
import type { Cache } from '../../kube/cache/cache.ts';
import { type Controller, createController, type ReconcileContext } from '../../kube/controller/controller.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { labelsOf, type NodeFacts, renderIdentity, renderNodeStatus } from './node-object.ts';

export const createNodeKeeper = (facts: NodeFacts, nodes: Cache<Node>): Controller =>
  createController({
    name: 'node-agent.node',
    watches: [
      {
        cache: nodes,
        start: (add) => {
          // There may be no Node yet, and so no change to wake us.
          add(facts.nodeName, 'wish');
          return nodes.subscribe(() => add(facts.nodeName, 'change'));
        },
      },
    ],
    reconcile: (context) => keepNode(facts, nodes, context),
    workers: 1,
  });

const keepNode = async (facts: NodeFacts, nodes: Cache<Node>, context: ReconcileContext): Promise<Verdict> => {
  const { kube, clock, signal } = context;
  const found = nodes.get(facts.nodeName);
  if (found?.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const node = found ?? (await kube.create(NODES, renderIdentity(facts), { signal }));
  const key = { name: facts.nodeName };
  const labels = diffMerge(node.metadata.labels, { ...node.metadata.labels, ...labelsOf(facts) });
  if (labels !== undefined) {
    await kube.patch(NODES, key, { type: 'merge', body: { metadata: { labels } } }, { signal });
  }
  const status = diffMerge(node.status ?? {}, renderNodeStatus(facts, node.status, clock.now()));
  if (status !== undefined) {
    const body = { metadata: { uid: node.metadata.uid }, status };
    await kube.patch(NODES, key, { type: 'merge', body }, { signal, subresource: 'status' });
  }
  return { next: 'rest' };
};
