/** Where a Pod goes: the Node that fits and holds the fewest Pods, or the sentence that says why there is none. Pure. */
import type { Node } from '../../../kube/types/core.ts';
import { findMisfits, type NodeLoad } from './node-fit.ts';
import { type Amounts, requestsOf } from './resources.ts';
import type { SchedulableContainer, SchedulablePod } from './schedulable.ts';

export type Placement =
  | { readonly kind: 'bind'; readonly nodeName: string }
  | { readonly kind: 'unschedulable'; readonly message: string }
  /** Somebody else says when it may be scheduled. */
  | { readonly kind: 'gated'; readonly message: string };

const GATED = 'Scheduling is blocked due to non-empty scheduling gates';
/** What kube-scheduler would try next. */
const NO_PREEMPTION = 'preemption: not supported by the embedded scheduler.';

/** `loadOf` tells what a Node holds, those just bound included. */
export const planPlacement = (
  pod: SchedulablePod,
  nodes: readonly Node[],
  loadOf: (nodeName: string) => NodeLoad,
): Placement => {
  if ((pod.spec.schedulingGates ?? []).length > 0) return { kind: 'gated', message: GATED };
  const unsupported = findUnsupported(pod);
  if (unsupported.length > 0) {
    const message = `${countNodes(nodes.length)}: the embedded scheduler does not support ${unsupported.join(', ')}.`;
    return { kind: 'unschedulable', message };
  }
  const wanted = requestsOf(pod);
  const looks = nodes.map((node) => look(pod, node, { wanted, load: loadOf(node.metadata.name) }));
  const [best] = looks
    .filter(({ misfits }) => misfits.length === 0)
    .sort((left, right) => left.podsHeld - right.podsHeld || (left.name < right.name ? -1 : 1));
  if (best !== undefined) return { kind: 'bind', nodeName: best.name };
  return { kind: 'unschedulable', message: explain(looks) };
};

interface Look {
  readonly name: string;
  readonly podsHeld: number;
  readonly misfits: readonly string[];
}

const look = (
  pod: SchedulablePod,
  node: Node,
  { wanted, load }: { readonly wanted: Amounts; readonly load: NodeLoad },
): Look => ({
  name: node.metadata.name,
  podsHeld: load.pods,
  misfits: findMisfits({ pod, wanted }, node, load),
});

const countNodes = (count: number): string => `0/${count} nodes are available`;

const explain = (looks: readonly Look[]): string => {
  if (looks.length === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const misfit of looks.flatMap(({ misfits }) => misfits)) counts.set(misfit, (counts.get(misfit) ?? 0) + 1);
  const parts = Array.from(counts, ([misfit, count]) => `${count} ${misfit}`).sort();
  return `${countNodes(looks.length)}: ${parts.join(', ')}. ${NO_PREEMPTION}`;
};

/** What a Pod must have and this scheduler cannot give: it waits, and says for what. */
const findUnsupported = ({ spec }: SchedulablePod): readonly string[] => {
  const isRequired = (affinity: NonNullable<typeof spec.affinity>['podAffinity']): boolean =>
    (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
  const checks: readonly (readonly [string, boolean])[] = [
    ['hostPort', spec.containers.some(hasHostPort)],
    ['pod affinity', isRequired(spec.affinity?.podAffinity)],
    ['pod anti-affinity', isRequired(spec.affinity?.podAntiAffinity)],
    [
      'topology spread',
      spec.topologySpreadConstraints?.some((one) => one.whenUnsatisfiable !== 'ScheduleAnyway') === true,
    ],
    ['persistent volume claims', spec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined) === true],
    ['resource claims', (spec.resourceClaims ?? []).length > 0],
  ];
  return checks.flatMap(([name, isAsked]) => (isAsked ? [name] : []));
};

const hasHostPort = ({ ports }: SchedulableContainer): boolean =>
  ports?.some(({ hostPort = 0 }) => hostPort > 0) === true;

/** Wishes that were not weighed, so that nobody wonders why a Pod is where it is. */
export const findUnweighed = ({ spec }: SchedulablePod): readonly string[] => {
  const preferred = (
    affinity: { readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly unknown[] } | undefined,
  ) => (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
  const checks: readonly (readonly [string, boolean])[] = [
    ['preferred node affinity', preferred(spec.affinity?.nodeAffinity)],
    ['preferred pod affinity', preferred(spec.affinity?.podAffinity) || preferred(spec.affinity?.podAntiAffinity)],
    [
      'topology spread',
      spec.topologySpreadConstraints?.some((one) => one.whenUnsatisfiable === 'ScheduleAnyway') === true,
    ],
  ];
  return checks.flatMap(([name, isAsked]) => (isAsked ? [name] : []));
};
