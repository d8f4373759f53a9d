/**
 * What happens to a Node that is silent, sick or cordoned: without a fresh Lease its conditions become Unknown, and taints
 * say to scheduler and evictor what its conditions mean (plan-node.ts). Who leaves a tainted Node is decided in
 * taint-eviction.ts.
 */
import { parseTimestamp } from '../../../base/clock.ts';
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
import { type Disruption, doubt, haveSameTaints, judgeDisruption, planTaints } from './plan-node.ts';

const SILENT_AFTER_MS = 50_000;
/** A Node that never had a Lease is given this time from its birth on. */
const STARTUP_MS = 60_000;
const LEASE_NAMESPACE = 'kube-node-lease';
const ASK_AGAIN_MS = 5_000;

export interface NodeLifecycleParts {
  readonly nodes: Cache<Node>;
  readonly leases: Cache<Lease>;
  readonly events: EventRecorder;
  /** A Node whose Lease is older is silent. */
  readonly silentAfterMs?: number;
}

/** When the API last did not answer us: who hears nobody cannot say that one of them is silent. */
interface Hearing {
  lostMs: number;
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
  const hearing: Hearing = { lostMs: Number.NEGATIVE_INFINITY };
  return createController({
    name: 'node-lifecycle',
    watches: [
      watchPrimary(parts.nodes),
      // How many are well decides for each of them.
      watchMapped(parts.nodes, createConcern(parts.nodes)),
      // News are its first Lease, and a renewal of one that was silent: every other look is at the time the Lease runs out.
      watchMapped(parts.leases, (change) => {
        const { name, namespace } = subjectOf(change).metadata;
        const node = namespace === LEASE_NAMESPACE ? parts.nodes.get(name) : undefined;
        return node === undefined || (change.type !== 'added' && isNodeReady(node)) ? [] : [name];
      }),
    ],
    reconcile: (context) => followNode(parts, hearing, context),
  });
};

const changesHealth = (change: Change<Node>): boolean =>
  change.type !== 'updated' || isNodeReady(change.old) !== isNodeReady(change.object);

const followNode = async (parts: NodeLifecycleParts, hearing: Hearing, context: ReconcileContext): Promise<Verdict> => {
  const stored = parts.nodes.get(context.key);
  if (stored === undefined) return { next: 'rest' };
  const nowMs = context.clock.now();
  const { silentAfterMs = SILENT_AFTER_MS } = parts;
  const knownMs = silentAt(stored, parts.leases.get(`${LEASE_NAMESPACE}/${context.key}`), silentAfterMs);
  const silentAtMs = nowMs < knownMs ? knownMs : await askWhenSilent(stored, { hearing, silentAfterMs }, context);
  if (silentAtMs === 'nobody answers') return { next: 'again', afterMs: ASK_AGAIN_MS };
  const isSilent = nowMs >= silentAtMs;
  const node = isSilent ? await markSilent(parts, stored, context) : stored;
  const others = parts.nodes.list().filter(({ metadata }) => metadata.name !== context.key);
  const taints = planTaints(node, { disruption: judgeDisruption([...others, node]), nowMs });
  if (!haveSameTaints(node, taints)) {
    const { uid, resourceVersion } = node.metadata;
    const body = { metadata: { uid, resourceVersion }, spec: { taints } };
    await context.kube.patch(NODES, keyOf(node), { type: 'merge', body }, { signal: context.signal });
  }
  return isSilent ? { next: 'rest' } : { next: 'again', afterMs: silentAtMs - nowMs };
};

const silentAt = ({ metadata }: Node, lease: Lease | undefined, silentAfterMs: number): number => {
  const renewedMs = parseTimestamp(lease?.spec?.renewTime);
  if (renewedMs !== undefined) return renewedMs + silentAfterMs;
  return (parseTimestamp(metadata.creationTimestamp) ?? 0) + Math.max(STARTUP_MS, silentAfterMs);
};

/**
 * A cache may lag, and a watch may be dead: before a Node is given up, the API is asked. After a time without an answer all
 * Nodes get their time again: they could not be heard either.
 */
const askWhenSilent = async (
  node: Node,
  { hearing, silentAfterMs }: { readonly hearing: Hearing; readonly silentAfterMs: number },
  context: ReconcileContext,
): Promise<number | 'nobody answers'> => {
  try {
    const lease = await readIfThere(LEASES, { namespace: LEASE_NAMESPACE, name: context.key }, context);
    return Math.max(silentAt(node, lease, silentAfterMs), hearing.lostMs + silentAfterMs);
  } catch (error) {
    if (!isKind(error, 'unavailable', 'throttled')) throw error;
    hearing.lostMs = context.clock.now();
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
