/**
 * Whether the Pods of a Deployment are to be spread anew over the Macs: when the set of Macs that are ready changed, and has
 * been the same for a while. Pure. A Mac that is away for a moment rolls nothing, nor does a fleet without any (W-27).
 */
import { createHash } from 'node:crypto';
import { parseTimestamp } from '../../base/clock.ts';
import { ANNOTATIONS, LABEL_VALUES, LABELS } from '../../kinds/labels.ts';
import type { Deployment } from '../../kube/types/apps.ts';
import type { Node } from '../../kube/types/core.ts';

export interface SpreadView {
  readonly nowMs: number;
  readonly deployment: Deployment;
  readonly nodes: readonly Node[];
  /** How long the set has to stay the same before it counts. */
  readonly calmMs: number;
}

export type SpreadPlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly afterMs: number }
  | { readonly do: 'roll'; readonly hash: string };

const ROLLING_LOOK_MS = 30_000;

export const planSpread = ({ nowMs, deployment, nodes, calmMs }: SpreadView): SpreadPlan => {
  const selected = nodes.filter((node) => isOfFleet(node, deployment));
  const ready = selected.filter(isReady);
  if (ready.length === 0) return { do: 'nothing' };
  const hash = fleetHashOf(ready);
  const { template } = deployment.spec;
  if (template.metadata?.annotations?.[ANNOTATIONS.fleetHash] === hash) return { do: 'nothing' };
  if (!isSettled(deployment)) return { do: 'wait', afterMs: ROLLING_LOOK_MS };
  const youngestMs = Math.max(...selected.map(changedAtMs));
  const leftMs = youngestMs + calmMs - nowMs;
  return leftMs > 0 ? { do: 'wait', afterMs: leftMs } : { do: 'roll', hash };
};

/** Of the names alone, in any order. */
export const fleetHashOf = (nodes: readonly Node[]): string =>
  createHash('sha256')
    .update(
      nodes
        .map(({ metadata }) => metadata.name)
        .sort()
        .join(','),
    )
    .digest('hex')
    .slice(0, 16);

const BASE: Readonly<Record<string, string>> = {
  'kubernetes.io/os': 'darwin',
  [LABELS.runtime]: LABEL_VALUES.runtimeTart,
};

/** A Mac that the Deployment's own selector takes; without one it takes none, so that no other fleet rolls it. */
const isOfFleet = ({ metadata }: Node, { spec }: Deployment): boolean => {
  const selector = spec.template.spec?.nodeSelector;
  if (selector === undefined || metadata.deletionTimestamp !== undefined) return false;
  return Object.entries({ ...BASE, ...selector }).every(([key, value]) => metadata.labels?.[key] === value);
};

const readyConditionOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');

const isReady = (node: Node): boolean => readyConditionOf(node)?.status === 'True';

const changedAtMs = (node: Node): number =>
  parseTimestamp(readyConditionOf(node)?.lastTransitionTime) ?? parseTimestamp(node.metadata.creationTimestamp) ?? 0;

/** Rolled out as a whole: a second change in the middle would strand Pods (I-04). */
const isSettled = ({ metadata, spec, status }: Deployment): boolean => {
  const wanted = spec.replicas ?? 1;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas].map((count) => count ?? 0);
  return (
    status?.observedGeneration === metadata.generation &&
    counts.every((count) => count === wanted) &&
    (status?.unavailableReplicas ?? 0) === 0
  );
};
