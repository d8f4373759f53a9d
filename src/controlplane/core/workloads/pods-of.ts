/** What controllers of Pods ask about one: does it count, is it well, and who shall go first. Pure. */
import { parseTimestamp } from '../../../base/clock.ts';
import type { Pod } from '../../../kube/types/pod.ts';
import { isTerminal } from '../scheduling/schedulable.ts';

/** Told to end, and not there yet. */
export const isTerminating = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp !== undefined;

export const isActive = (pod: Pod): boolean => !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;

const readyCondition = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === 'Ready');

export const isPodReady = (pod: Pod): boolean => readyCondition(pod)?.status === 'True';

/** When the Pod has been ready for so long; undefined for one that is not. */
export const availableAtMs = (pod: Pod, minReadySeconds: number): number | undefined => {
  if (!isPodReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const sinceMs = parseTimestamp(readyCondition(pod)?.lastTransitionTime);
  return sinceMs === undefined ? undefined : sinceMs + minReadySeconds * 1_000;
};

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: readonly (string | undefined)[] = ['Pending', 'Unknown', 'Running'];

/**
 * Who goes first when there are too many, as Kubernetes ranks: without a Node, not running, not ready, cheap, one of many on
 * its Node, ready for a shorter time, restarted more often, newer.
 */
export const rankForRemoval = (pods: readonly Pod[]): readonly Pod[] => {
  const onNode = (pod: Pod): number => pods.filter(({ spec }) => spec.nodeName === pod.spec.nodeName).length;
  const features = (pod: Pod): readonly number[] => [
    pod.spec.nodeName === undefined ? 0 : 1,
    PHASES.indexOf(pod.status?.phase),
    isPodReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.[DELETION_COST] ?? 0) || 0,
    -onNode(pod),
    -(parseTimestamp(readyCondition(pod)?.lastTransitionTime) ?? 0),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    -(parseTimestamp(pod.metadata.creationTimestamp) ?? 0),
  ];
  const ranked = pods.map((pod) => ({ pod, ranks: features(pod) }));
  ranked.sort((left, right) => compareRanks(left.ranks, right.ranks) || compareNames(left.pod, right.pod));
  return ranked.map(({ pod }) => pod);
};

const compareRanks = (left: readonly number[], right: readonly number[]): number => {
  const at = left.findIndex((rank, index) => rank !== right[index]);
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
};

const compareNames = (left: Pod, right: Pod): number => (left.metadata.name < right.metadata.name ? -1 : 1);
