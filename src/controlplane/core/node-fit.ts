/** Whether a Pod may run on a Node, and if not, why: in the words that Kubernetes' scheduler uses. Pure. */
import type { Node } from '../../kube/types/core.ts';
import {
  isNodeReady,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  type SchedulablePod,
  type Toleration,
} from './schedulable.ts';

type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];
type Labels = Readonly<Record<string, string>>;

/** The first reason against this Node, or undefined when the Pod fits. `podsHeld` counts Pods that still take a place. */
export const findMisfit = (pod: SchedulablePod, node: Node, podsHeld: number): string | undefined => {
  if (node.metadata.deletionTimestamp !== undefined) return 'node(s) were being deleted';
  if (node.spec?.unschedulable === true) return 'node(s) were unschedulable';
  const taint = node.spec?.taints?.find((candidate) => isRepelled(candidate, pod.spec.tolerations ?? []));
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (!isNodeReady(node)) return 'node(s) were not ready';
  if (!isChosen(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (podsHeld >= placesOf(node)) return 'Too many pods';
  return undefined;
};

/** PreferNoSchedule is a wish and repels nobody. */
const isRepelled = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => isTolerated(taint, toleration));

const isTolerated = (taint: Taint, { key = '', operator = 'Equal', value = '', effect = '' }: Toleration): boolean => {
  if (effect !== '' && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === '' || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
};

const isChosen = (pod: SchedulablePod, node: Node): boolean => {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => isTermMet(term, labels));
};

/** A term without an expression matches nothing. */
const isTermMet = ({ matchExpressions = [] }: NodeSelectorTerm, labels: Labels): boolean =>
  matchExpressions.length > 0 && matchExpressions.every((requirement) => isMet(requirement, labels[requirement.key]));

/** An operator that is not known here matches nothing: a Pod that waits is seen, one in the wrong place is not. */
const isMet = ({ operator, values = [] }: NodeSelectorRequirement, label: string | undefined): boolean => {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    default:
      return false;
  }
};

/** A Node that does not say how many Pods it takes has no limit. */
const placesOf = ({ status }: Node): number => Number(status?.allocatable?.['pods'] ?? Number.POSITIVE_INFINITY);
