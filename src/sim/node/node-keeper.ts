/** Keeps the Node object: registers it, again when it was deleted, and reports its status when it differs. */
import type { Cache } from '../../kube/cache/cache.ts';
import { type Controller, createController, type ReconcileContext } from '../../kube/controller/controller.ts';
import { diffMerge } from '../../kube/controller/merge-patch.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { NODES, type Node } from '../../kube/types/core.ts';
import { labelsOf, type NodeFacts, renderIdentity, renderNodeStatus } from './node-object.ts';

/** Whoever denies what it reports is told so a few times; then, as a kubelet's, its reports come at a steady pace. */
const REPORTS_AT_ONCE = 3;
const REPORT_EVERY_MS = 10_000;

export interface NodeKeeperOptions extends NodeFacts {
  /** How often its status is reported when it was in vain, and its Lease renewed; every ten seconds unless given. */
  readonly renewEveryMs?: number;
}

interface Reports {
  lastMs: number;
  /** Since there was a pause. */
  inARow: number;
}

export const createNodeKeeper = (options: NodeKeeperOptions, nodes: Cache<Node>): Controller => {
  const reports: Reports = { lastMs: Number.NEGATIVE_INFINITY, inARow: 0 };
  return createController({
    name: 'node-agent.node',
    watches: [
      {
        cache: nodes,
        start: (add) => {
          // There may be no Node yet, and so no change to wake us.
          add(options.nodeName, 'wish');
          return nodes.subscribe(() => add(options.nodeName, 'change'));
        },
      },
    ],
    reconcile: (context) => keepNode(options, { found: nodes.get(options.nodeName), reports }, context),
    workers: 1,
  });
};

const keepNode = async (
  facts: NodeKeeperOptions,
  { found, reports }: { readonly found: Node | undefined; readonly reports: Reports },
  context: ReconcileContext,
): Promise<Verdict> => {
  const { kube, clock, signal } = context;
  if (found?.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const node = found ?? (await kube.create(NODES, renderIdentity(facts), { signal }));
  const key = { name: facts.nodeName };
  const labels = diffMerge(node.metadata.labels, { ...node.metadata.labels, ...labelsOf(facts) });
  if (labels !== undefined) {
    await kube.patch(NODES, key, { type: 'merge', body: { metadata: { labels } } }, { signal });
  }
  const status = diffMerge(node.status ?? {}, renderNodeStatus(facts, node.status, clock.now()));
  if (status === undefined) return { next: 'rest' };
  const waitMs = reports.lastMs + (facts.renewEveryMs ?? REPORT_EVERY_MS) - clock.elapsed();
  if (waitMs > 0 && reports.inARow >= REPORTS_AT_ONCE) return { next: 'again', afterMs: waitMs };
  const body = { metadata: { uid: node.metadata.uid }, status };
  await kube.patch(NODES, key, { type: 'merge', body }, { signal, subresource: 'status' });
  reports.inARow = waitMs > 0 ? reports.inARow + 1 : 1;
  reports.lastMs = clock.elapsed();
  return { next: 'rest' };
};
