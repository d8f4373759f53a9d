/** Whether a Node does its work: pure, from what it says of itself, or what Kubernetes says of one that is silent (W-13). */
import { parseTimestamp } from '../../base/clock.ts';
import type { Node } from '../../kube/types/core.ts';

/** As long as Kubernetes leaves Pods on such a Node, unless they say otherwise. */
const UNREADY_MAX_MS = 300_000;
type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

const readyOf = ({ status }: Node): NodeCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');

export const isNodeReady = (node: Node | undefined): boolean => node !== undefined && readyOf(node)?.status === 'True';

/** How long one that is not ready may still be left alone; undefined: it is ready, or has never said anything. */
export const patienceLeftMs = (node: Node, nowMs: number): number | undefined => {
  const ready = readyOf(node);
  if (ready === undefined || ready.status === 'True') return undefined;
  return (parseTimestamp(ready.lastTransitionTime) ?? nowMs) + UNREADY_MAX_MS - nowMs;
};

export const isNodeIll = (node: Node, nowMs: number): boolean => (patienceLeftMs(node, nowMs) ?? 1) <= 0;

export const describeIllness = (node: Node): string => {
  const { status, reason, lastTransitionTime } = readyOf(node) ?? {};
  const what = status === 'Unknown' ? 'has not been heard of' : 'has not been ready';
  return `its Node ${node.metadata.name} ${what} since ${lastTransitionTime}${reason === undefined ? '' : ` (${reason})`}`;
};
