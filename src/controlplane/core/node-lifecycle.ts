/**
 * What happens to a Node that is silent or gone: without a fresh Lease it is marked as unreachable and takes no more Pods;
 * with one it is itself again. Pods of a Node that no longer exists are deleted, because nobody else can end them. Pods of
 * an unreachable Node are left alone: whoever deletes the Machine decides.
 */
import { parseTimestamp, toTimestamp } from '../../base/clock.ts';
import type { Cache } from '../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  watchMapped,
  watchPrimary,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import { NODES, type Node, PODS } from '../../kube/types/core.ts';
import { keyOf } from '../../kube/types/meta.ts';
import { readIfThere } from './read-if-there.ts';
import type { SchedulablePod } from './schedulable.ts';

const SILENT_AFTER_MS = 40_000;
const UNREACHABLE = 'node.kubernetes.io/unreachable';

export interface NodeLifecycleParts {
  readonly nodes: Cache<Node>;
  /** Of the namespace kube-node-lease. */
  readonly leases: Cache<Lease>;
  /** With index `node`. */
  readonly pods: Cache<SchedulablePod>;
}

export const createNodeLifecycle = (parts: NodeLifecycleParts): Controller =>
  createController({
    name: 'node-lifecycle',
    watches: [
      watchPrimary(parts.nodes),
      // A renewal is news only for a Node that was silent: every other look is at the time the Lease runs out.
      watchMapped(parts.leases, (change) => {
        const { name } = (change.type === 'deleted' ? change.old : change.object).metadata;
        const node = parts.nodes.get(name);
        return node !== undefined && isMarked(node) ? [name] : [];
      }),
      watchMapped(parts.pods, (change) => {
        const { nodeName } = (change.type === 'deleted' ? change.old : change.object).spec;
        return nodeName === undefined || parts.nodes.get(nodeName) !== undefined ? [] : [nodeName];
      }),
    ],
    reconcile: (context) => followNode(parts, context),
  });

const followNode = async (parts: NodeLifecycleParts, context: ReconcileContext): Promise<Verdict> => {
  const node = parts.nodes.get(context.key);
  if (node === undefined) return removeOrphans(parts, context);
  if (node.metadata.deletionTimestamp !== undefined) return { next: 'rest' };
  const nowMs = context.clock.now();
  const silentAtMs = heardOfMs(node, parts.leases.get(`kube-node-lease/${context.key}`)) + SILENT_AFTER_MS;
  const patch = nowMs < silentAtMs ? planRecovery(node) : planSilence(node, nowMs);
  if (patch !== undefined) await apply(node, patch, context);
  return nowMs < silentAtMs ? { next: 'again', afterMs: silentAtMs - nowMs } : { next: 'rest' };
};

/** A Node that never had a Lease is given its time from its birth on. */
const heardOfMs = ({ metadata }: Node, lease: Lease | undefined): number =>
  parseTimestamp(lease?.spec?.renewTime) ?? parseTimestamp(metadata.creationTimestamp) ?? 0;

const isMarked = ({ spec }: Node): boolean => spec?.taints?.some(({ key }) => key === UNREACHABLE) === true;

interface NodePatch {
  readonly taints: NonNullable<NonNullable<Node['spec']>['taints']>;
  readonly conditions?: NonNullable<NonNullable<Node['status']>['conditions']>;
}

/** Marks the Node; undefined when it is marked. */
const planSilence = (node: Node, nowMs: number): NodePatch | undefined => {
  if (isMarked(node)) return undefined;
  const at = toTimestamp(nowMs);
  const doubt = {
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: at,
  };
  const stored = node.status?.conditions ?? [];
  const known = stored.some(({ type }) => type === 'Ready')
    ? stored
    : [...stored, { type: 'Ready', status: 'Unknown' } as const];
  return {
    taints: [...(node.spec?.taints ?? []), { key: UNREACHABLE, effect: 'NoSchedule', timeAdded: at }],
    conditions: known.map((condition) => ({ ...condition, status: 'Unknown', ...doubt })),
  };
};

/** Takes the mark away; that it is ready again, its agent says itself. */
const planRecovery = (node: Node): NodePatch | undefined =>
  isMarked(node) ? { taints: (node.spec?.taints ?? []).filter(({ key }) => key !== UNREACHABLE) } : undefined;

/** The taint last: it is what says that the status was written. */
const apply = async (node: Node, { taints, conditions }: NodePatch, context: ReconcileContext): Promise<void> => {
  const { kube, signal } = context;
  const key = keyOf(node);
  const { uid } = node.metadata;
  let { resourceVersion } = node.metadata;
  if (conditions !== undefined) {
    const body = { metadata: { uid, resourceVersion }, status: { conditions } };
    const saved = await kube.patch(NODES, key, { type: 'merge', body }, { subresource: 'status', signal });
    resourceVersion = saved.metadata.resourceVersion;
  }
  const body = { metadata: { uid, resourceVersion }, spec: { taints } };
  await kube.patch(NODES, key, { type: 'merge', body }, { signal });
};

/** That the Node is gone is asked of the API: the cache of Pods may be ahead of that of Nodes. */
const removeOrphans = async ({ pods }: NodeLifecycleParts, context: ReconcileContext): Promise<Verdict> => {
  const orphans = pods.list().filter(({ spec }) => spec.nodeName === context.key);
  if (orphans.length === 0) return { next: 'rest' };
  if ((await readIfThere(NODES, { name: context.key }, context)) !== undefined) return { next: 'rest' };
  for (const pod of orphans) {
    const { uid = '' } = pod.metadata;
    const { kube, signal } = context;
    await kube.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  }
  return { next: 'rest' };
};
