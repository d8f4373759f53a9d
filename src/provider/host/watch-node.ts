/**
 * Whether the Node of a Mac that works is well (W-13). One that is not ready for long is told of, and its Mac is prepared anew:
 * lightly at first. Silence is no evidence: before anything follows from it the API itself is asked.
 */
import { toTimestamp } from '../../base/clock.ts';
import { REASONS } from '../../kinds/condition-reasons.ts';
import type { MacHost } from '../../kinds/mac-host.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { type StepResult, wait } from '../../kube/controller/outcome.ts';
import type { Node } from '../../kube/types/core.ts';
import { nodeOf, type ProviderCaches } from './host-caches.ts';
import { type HostState, hostStateOf } from './host-life.ts';
import { describeIllness, isNodeIll, patienceLeftMs } from './node-health.ts';
import { findNode } from './observe-host.ts';
import { notReady } from './report.ts';

/** A cache that is behind the API is not waited for in a tighter loop. */
const CACHE_BEHIND_MS = 60_000;

/** The Node of a Mac that may work: as the cache has it, unless that would be the beginning of something. */
export const observeNode = async (
  caches: ProviderCaches,
  host: MacHost,
  context: Pick<ReconcileContext, 'kube' | 'signal' | 'clock'>,
): Promise<Node | undefined> => {
  const cached = nodeOf(caches, host);
  const isUsed = hostStateOf(host.spec, 'there') === 'joined';
  if (cached === undefined || !isUsed || !isNodeIll(cached, context.clock.now())) return cached;
  return findNode(caches, host, context);
};

/** When a Mac that is left alone has to be looked at again because of its Node; undefined: not before that changes. */
export const nodeRestMs = (node: Node | undefined, nowMs: number): number | undefined => {
  const leftMs = node === undefined ? undefined : patienceLeftMs(node, nowMs);
  return leftMs === undefined || leftMs > 0 ? leftMs : CACHE_BEHIND_MS;
};

/** Said once, before anything is done about it. Undefined: it is known, or has another reason. */
export const tellIllNode = (
  { status }: MacHost,
  node: Node | undefined,
  { state, nowMs }: { readonly state: HostState; readonly nowMs: number },
): StepResult<MacHost> | undefined => {
  if (state !== 'preparing' || status?.state !== 'joined' || node === undefined || !isNodeIll(node, nowMs))
    return undefined;
  const message = `${describeIllness(node)}: the Mac is looked at over SSH`;
  const reason = REASONS.machine.bootstrapped.nodeNotReady;
  return wait<MacHost>(0, {
    ...notReady(reason, message),
    status: { state, stateSince: toTimestamp(nowMs) },
    events: [{ type: 'Warning', reason, message }],
  });
};
