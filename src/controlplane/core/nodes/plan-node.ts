/**
 * What a Node's silence, its conditions and the state of its neighbours mean for its status and taints, as Kubernetes'
 * node lifecycle controller decides. When too many Nodes are not ready at once, the fault is taken to be elsewhere, and
 * nobody is evicted. The whole cluster counts as one zone. Pure.
 */
import { toTimestamp } from '../../../base/clock.ts';
import { isEqualJson } from '../../../base/json.ts';
import type { Node } from '../../../kube/types/core.ts';

export type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];
type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';

const WATCHED_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** The taint that a condition in this state means. */
const TAINT_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const OUR_NO_SCHEDULE = [UNSCHEDULABLE, ...Object.values(TAINT_OF).flatMap((byStatus) => Object.values(byStatus))];
const OUR_NO_EXECUTE = [NOT_READY, UNREACHABLE];

/** `normal`: silent Nodes lose their Pods. `partial`: no further Node does. `full`: none does. */
export type Disruption = 'normal' | 'partial' | 'full';

const PARTIAL_SHARE = 0.55;
/** In a larger cluster evictions would go on slowly; here they go on as always. */
const LARGE_CLUSTER = 50;

const statusOf = ({ status }: Node, type: string): string | undefined =>
  status?.conditions?.find((condition) => condition.type === type)?.status;

export const judgeDisruption = (nodes: readonly Node[]): Disruption => {
  const bad = nodes.filter((node) => statusOf(node, 'Ready') !== 'True').length;
  if (bad > 0 && bad === nodes.length) return 'full';
  return bad > 2 && bad / nodes.length >= PARTIAL_SHARE && nodes.length <= LARGE_CLUSTER ? 'partial' : 'normal';
};

/** The conditions of a Node that has been silent for too long; the same ones when they say so already. */
export const doubt = (node: Node, nowMs: number): readonly NodeCondition[] => {
  const stored = node.status?.conditions ?? [];
  const at = toTimestamp(nowMs);
  const doubted = stored.map((condition): NodeCondition => {
    const isWatched = WATCHED_CONDITIONS.some((type) => type === condition.type);
    if (!isWatched || condition.status === 'Unknown') return condition;
    const why = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
    return { ...condition, status: 'Unknown', ...why, lastTransitionTime: at };
  });
  const missing = WATCHED_CONDITIONS.filter((type) => !stored.some((condition) => condition.type === type));
  const never = { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
  return [
    ...doubted,
    ...missing.map((type): NodeCondition => ({ type, status: 'Unknown', ...never, lastTransitionTime: at })),
  ];
};

export interface TaintScene {
  readonly disruption: Disruption;
  readonly nowMs: number;
}

/** The taints that the Node shall have. Those that are not ours stay as they are. */
export const planTaints = (node: Node, { disruption, nowMs }: TaintScene): readonly Taint[] => {
  const stored = node.spec?.taints ?? [];
  const isOurs = ({ key, effect }: Taint): boolean =>
    (effect === 'NoSchedule' && OUR_NO_SCHEDULE.includes(key)) ||
    (effect === 'NoExecute' && OUR_NO_EXECUTE.includes(key));
  const wanted = [...noScheduleTaints(node), ...noExecuteTaints(node, disruption)];
  const isWanted = (taint: Taint): boolean => wanted.some((one) => isSameTaint(one, taint));
  const kept = stored.filter((taint) => !isOurs(taint) || isWanted(taint));
  const added = wanted.filter((taint) => !stored.some((one) => isSameTaint(one, taint)));
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: toTimestamp(nowMs) }))];
};

const isSameTaint = (left: Taint, right: Taint): boolean => left.key === right.key && left.effect === right.effect;

const noScheduleTaints = (node: Node): readonly Taint[] => {
  const keys = Object.entries(TAINT_OF).flatMap(([type, byStatus]) => byStatus[statusOf(node, type) ?? ''] ?? []);
  const cordoned = node.spec?.unschedulable === true ? [UNSCHEDULABLE] : [];
  return [...keys, ...cordoned].map((key) => ({ key, effect: 'NoSchedule' }));
};

const noExecuteTaints = (node: Node, disruption: Disruption): readonly Taint[] => {
  const key = TAINT_OF['Ready']?.[statusOf(node, 'Ready') ?? ''];
  if (key === undefined || disruption === 'full') return [];
  const taint: Taint = { key, effect: 'NoExecute' };
  const isThere = node.spec?.taints?.some(
    ({ effect, key: held }) => effect === 'NoExecute' && OUR_NO_EXECUTE.includes(held),
  );
  return disruption === 'partial' && isThere !== true ? [] : [taint];
};

export const haveSameTaints = (node: Node, taints: readonly Taint[]): boolean =>
  isEqualJson(node.spec?.taints ?? [], taints);
