/**
 * What happens to a Node that is silent, sick or cordoned: without a fresh Lease its conditions become Unknown, and taints
 * say to scheduler and evictor what its conditions mean (plan-node.ts). Who leaves a tainted Node is decided in
 * taint-eviction.ts.
 */
import type { Clock } from '../../../base/clock.ts';
import { isKind, toFleetError } from '../../../base/errors.ts';
import { isEqualJson } from '../../../base/json.ts';
import type { Cache } from '../../../kube/cache/cache.ts';
import type { Change } from '../../../kube/cache/object-store.ts';
import { readIfThere } from '../../../kube/client/if-there.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../kube/controller/events.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { LEASES, type Lease } from '../../../kube/types/coordination.ts';
import { NODES, type Node } from '../../../kube/types/core.ts';
import { keyOf } from '../../../kube/types/meta.ts';
import { isNodeReady } from '../scheduling/schedulable.ts';
import { subjectOf } from '../watch-related.ts';
import { createHeardNodes, type HeardNodes } from './heard-nodes.ts';
import { type Disruption, doubt, haveSameTaints, judgeDisruption, planTaints } from './plan-node.ts';

const SILENT_AFTER_MS = 50_000;
const LEASE_NAMESPACE = 'kube-node-lease';
const ASK_AGAIN_MS = 5_000;

export interface NodeLifecycleParts {
  readonly nodes: Cache<Node>;
  readonly leases: Cache<Lease>;
  readonly events: EventRecorder;
  readonly clock: Clock;
  /** A Node whose Lease did not change for so long is silent. */
  readonly silentAfterMs?: number;
}

/** The Nodes that another one's change concerns: all when it changes how the whole cluster is judged, mostly none. */
const createConcern = (nodes: Cache<Node>): ((change: Change<Node>) => readonly string[]) => {
  let judged: Disruption | undefined;
  return (change) => {
    if (!changesHealth(change)) return [];
    const before = judged;
    const all = nodes.list();
    judged = judgeDisruption(all);
    return before === judged ? [] : all.map(({ metadata }) => metadata.name);
  };
};

export const createNodeLifecycle = (parts: NodeLifecycleParts): Controller => {
  const { nodes, leases, clock, silentAfterMs = SILENT_AFTER_MS } = parts;
  const heard = createHeardNodes(clock, silentAfterMs);
  return createController({
    name: 'node-lifecycle',
    watches: [
      watchPrimary(nodes),
      // How many are well decides for each of them.
      watchMapped(nodes, createConcern(nodes)),
      // News are its first Lease, and a renewal of one that was silent: every other look is at the time the Lease runs out.
      watchMapped(leases, (change) => {
        const { name, namespace } = subjectOf(change).metadata;
        if (namespace !== LEASE_NAMESPACE) return [];
        if (change.type === 'deleted') heard.forget(name);
        else heard.note(name, change.object);
        const node = nodes.get(name);
        return node === undefined || (change.type !== 'added' && isNodeReady(node)) ? [] : [name];
      }),
    ],
    reconcile: (context) => followNode(parts, heard, context),
  });
};

const changesHealth = (change: Change<Node>): boolean =>
  change.type !== 'updated' || isNodeReady(change.old) !== isNodeReady(change.object);

const followNode = async (
  parts: NodeLifecycleParts,
  heard: HeardNodes,
  context: ReconcileContext,
): Promise<Verdict> => {
  const stored = parts.nodes.get(context.key);
  if (stored === undefined) return { next: 'rest' };
  const nowMs = context.clock.now();
  const knownMs = heard.leftMs(stored);
  const leftMs = knownMs > 0 ? knownMs : await askWhenSilent(stored, heard, context);
  if (leftMs === 'nobody answers') return { next: 'again', afterMs: ASK_AGAIN_MS };
  const isSilent = leftMs <= 0;
  const node = isSilent ? await markSilent(parts, stored, context) : stored;
  const others = parts.nodes.list().filter(({ metadata }) => metadata.name !== context.key);
  const taints = planTaints(node, { disruption: judgeDisruption([...others, node]), nowMs });
  if (!haveSameTaints(node, taints)) {
    const { uid, resourceVersion } = node.metadata;
    const body = { metadata: { uid, resourceVersion }, spec: { taints } };
    await context.kube.patch(NODES, keyOf(node), { type: 'merge', body }, { signal: context.signal });
  }
  return isSilent ? { next: 'rest' } : { next: 'again', afterMs: leftMs };
};

/**
 * A cache may lag, and a watch may be dead: before a Node is given up, the API is asked. After a time without an answer all
 * Nodes get their time again: they could not be heard either.
 */
const askWhenSilent = async (
  node: Node,
  heard: HeardNodes,
  context: ReconcileContext,
): Promise<number | 'nobody answers'> => {
  try {
    heard.note(context.key, await readIfThere(LEASES, { namespace: LEASE_NAMESPACE, name: context.key }, context));
    return Math.max(heard.leftMs(node), heard.deafLeftMs());
  } catch (error) {
    if (!isKind(error, 'unavailable', 'throttled')) throw error;
    heard.noteDeafness();
    context.logger.info('Nobody is judged while the API does not answer', { error: toFleetError(error) });
    return 'nobody answers';
  }
};

const markSilent = async (
  { events }: NodeLifecycleParts,
  node: Node,
  { kube, clock, signal }: ReconcileContext,
): Promise<Node> => {
  const conditions = doubt(node, clock.now());
  if (isEqualJson(conditions, node.status?.conditions)) return node;
  const { uid, resourceVersion } = node.metadata;
  const body = { metadata: { uid, resourceVersion }, status: { conditions } };
  const saved = await kube.patch(NODES, keyOf(node), { type: 'merge', body }, { subresource: 'status', signal });
  const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
  if (isNodeReady(node)) events.publish(NODES, node, [{ type: 'Normal', reason: 'NodeNotReady', message }]);
  return saved;
};
