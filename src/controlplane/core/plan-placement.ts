/** Where a Pod goes: the Node that fits and holds the fewest Pods, or the sentence that says why there is none. Pure. */
import type { Node } from '../../kube/types/core.ts';
import { findMisfit } from './node-fit.ts';
import type { SchedulablePod } from './schedulable.ts';

export type Placement =
  | { readonly kind: 'bind'; readonly nodeName: string }
  | { readonly kind: 'unschedulable'; readonly message: string };

/** `podsOn` counts the Pods that take a place on a Node, those just bound included. */
export const planPlacement = (
  pod: SchedulablePod,
  nodes: readonly Node[],
  podsOn: (nodeName: string) => number,
): Placement => {
  const looks = nodes.map((node) => {
    const podsHeld = podsOn(node.metadata.name);
    return { name: node.metadata.name, podsHeld, misfit: findMisfit(pod, node, podsHeld) };
  });
  const [best] = looks
    .filter(({ misfit }) => misfit === undefined)
    .sort((left, right) => left.podsHeld - right.podsHeld || (left.name < right.name ? -1 : 1));
  if (best !== undefined) return { kind: 'bind', nodeName: best.name };
  return { kind: 'unschedulable', message: explain(looks.flatMap(({ misfit }) => misfit ?? [])) };
};

const explain = (misfits: readonly string[]): string => {
  if (misfits.length === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const misfit of misfits) counts.set(misfit, (counts.get(misfit) ?? 0) + 1);
  const parts = Array.from(counts, ([misfit, count]) => `${count} ${misfit}`).sort();
  return `0/${misfits.length} nodes are available: ${parts.join(', ')}.`;
};
