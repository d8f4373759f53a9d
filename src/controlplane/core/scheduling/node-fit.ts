/** Whether a Pod may run on a Node, and if not, why: in the words that Kubernetes' scheduler uses. Pure. */
import type { Node } from '../../../kube/types/core.ts';
import { isMet } from '../label-selector.ts';
import { type Amounts, findShortages } from './resources.ts';
import { isNodeReady, type NodeSelectorTerm, type SchedulablePod, type Toleration } from './schedulable.ts';

type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

export interface NodeLoad {
  /** Pods that still take a place. */
  readonly pods: number;
  readonly used: Amounts;
}

/** All reasons of the first check that fails; none when the Pod fits. */
export const findMisfits = (
  { pod, wanted }: { readonly pod: SchedulablePod; readonly wanted: Amounts },
  node: Node,
  load: NodeLoad,
): readonly string[] => {
  const tolerations = pod.spec.tolerations ?? [];
  if (node.metadata.deletionTimestamp !== undefined) return ['node(s) were being deleted'];
  if (node.spec?.unschedulable === true && !tolerations.some((one) => isTolerated(CORDON, one))) {
    return ['node(s) were unschedulable'];
  }
  // An agent that has not reported yet gets the taint for it a moment later.
  const isNew = !isNodeReady(node) && !tolerations.some((one) => isTolerated(NEW, one));
  const isRepelled = node.spec?.taints?.some((taint) => repels(taint, tolerations)) === true;
  if (isRepelled || isNew) return ['node(s) had untolerated taint(s)'];
  if (!isChosen(pod, node)) return ["node(s) didn't match Pod's node affinity/selector"];
  const tooMany = load.pods >= placesOf(node) ? ['Too many pods'] : [];
  return [...tooMany, ...findShortages(wanted, node, load.used).map((name) => `Insufficient ${name}`)];
};

const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NEW: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** PreferNoSchedule is a wish and repels nobody. */
const repels = (taint: Taint, tolerations: readonly Toleration[]): boolean =>
  taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => isTolerated(taint, toleration));

/** A toleration without effect is for all effects; `Exists` without a key is for all taints. */
export const isTolerated = (taint: Taint, toleration: Toleration): boolean => {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === '' || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
};

const isChosen = (pod: SchedulablePod, node: Node): boolean => {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => isTermMet(term, node));
};

/** A term without an expression matches nothing. Of fields there is only the name. */
const isTermMet = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every((requirement) => isMet(requirement, metadata.labels?.[requirement.key])) &&
  matchFields.every((requirement) => requirement.key === 'metadata.name' && isMet(requirement, metadata.name));

/** A Node that does not say how many Pods it takes has no limit. */
const placesOf = ({ status }: Node): number => Number(status?.allocatable?.['pods'] ?? Number.POSITIVE_INFINITY);
