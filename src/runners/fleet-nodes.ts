/** The Macs of a fleet as a pool sees them: which take runners, how many, and why others do not. Pure. */
import { parseQuantity } from '../base/quantity.ts';
import { LABELS } from '../kinds/labels.ts';
import type { RunnerPool } from '../kinds/runner-pool.ts';
import type { Node } from '../kube/types/core.ts';

const OS_LABEL = 'kubernetes.io/os';

/** Whoever drains a Node has its idle runners go (§3.8). */
export const isNodeDraining = (node: Node | undefined): boolean =>
  node?.spec?.unschedulable === true || node?.metadata.deletionTimestamp !== undefined;

export const isInFleet = ({ metadata: { labels } }: Node, fleet: string): boolean =>
  labels?.[LABELS.fleet] === fleet && labels[OS_LABEL] === 'darwin';

/** Why a Node takes no runners, in the order in which it is asked. */
export const NODE_TROUBLES = [
  'unschedulable',
  'not_ready',
  'memory_pressure',
  'disk_pressure',
  'pid_pressure',
] as const;
export type NodeTrouble = (typeof NODE_TROUBLES)[number];

const PRESSURES: readonly (readonly [string, NodeTrouble])[] = [
  ['MemoryPressure', 'memory_pressure'],
  ['DiskPressure', 'disk_pressure'],
  ['PIDPressure', 'pid_pressure'],
];

export const troubleOf = (node: Node): NodeTrouble | undefined => {
  if (isNodeDraining(node)) return 'unschedulable';
  const is = (type: string): boolean =>
    node.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
  if (!is('Ready')) return 'not_ready';
  return PRESSURES.find(([type]) => is(type))?.[1];
};

export type RunnerShape = Pick<RunnerPool['spec'], 'podCPUMilli' | 'podMemoryMB'>;

/** How many runners of this shape an empty Node holds; one where the Node does not say what it has. */
export const slotsOf = ({ status }: Node, { podCPUMilli, podMemoryMB }: RunnerShape): number => {
  const { cpu, memory, pods } = status?.allocatable ?? {};
  if (cpu === undefined && memory === undefined) return 1;
  const fits = (have: string | undefined, each: number): number => {
    const amount = have === undefined ? undefined : parseQuantity(have);
    return amount === undefined || each <= 0 ? Number.POSITIVE_INFINITY : Math.floor(amount / each + 1e-9);
  };
  const slots = Math.min(fits(cpu, podCPUMilli / 1_000), fits(memory, podMemoryMB * 2 ** 20), fits(pods, 1));
  return Number.isFinite(slots) ? slots : 1;
};

/** All that is needed of a Node. */
export const keepOfNode = (node: Node): Node => {
  const { name, uid = '', resourceVersion = '', deletionTimestamp, labels = {} } = node.metadata;
  const kept = Object.entries(labels).filter(([key]) => key === LABELS.fleet || key === OS_LABEL);
  const conditions = (node.status?.conditions ?? [])
    .filter(({ type }) => type === 'Ready' || PRESSURES.some(([pressure]) => pressure === type))
    .map(({ type, status }) => ({ type, status }));
  const { allocatable } = node.status ?? {};
  return {
    metadata: {
      ...{ name, uid, resourceVersion, labels: Object.fromEntries(kept) },
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: { unschedulable: node.spec?.unschedulable === true },
    status: { conditions, ...(allocatable === undefined ? {} : { allocatable }) },
  };
};
