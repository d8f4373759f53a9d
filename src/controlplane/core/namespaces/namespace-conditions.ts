/** How far the end of a namespace is, in the words of Kubernetes. Pure. */
import type { ConditionStatus } from '../../../kube/types/meta.ts';

export interface NamespaceCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Objects of one kind that are still there. */
export interface Remainder {
  readonly collection: string;
  readonly count: number;
  /** Those of all objects together. */
  readonly finalizers: readonly string[];
}

export interface EndingFacts {
  readonly remainders: readonly Remainder[];
  /** Groups that could not be discovered, with why. */
  readonly failures: readonly string[];
  readonly at: string;
}

type Told = Omit<NamespaceCondition, 'lastTransitionTime'>;

export const renderConditions = (
  earlier: readonly NamespaceCondition[],
  { remainders, failures, at }: EndingFacts,
): readonly NamespaceCondition[] =>
  [
    judgeDiscovery(failures),
    no(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    no(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    judgeContent(remainders),
    judgeFinalizers(remainders),
  ].map((told) => {
    const before = earlier.find(({ type }) => type === told.type);
    const isSame = before?.status === told.status && before.lastTransitionTime !== undefined;
    return { ...told, lastTransitionTime: isSame ? (before.lastTransitionTime ?? at) : at };
  });

const no = (type: string, reason: string, message: string): Told => ({ type, status: 'False', reason, message });

const judgeDiscovery = (failures: readonly string[]): Told => {
  const type = 'NamespaceDeletionDiscoveryFailure';
  if (failures.length === 0) return no(type, 'ResourcesDiscovered', 'All resources successfully discovered');
  const message = `Discovery failed for some groups, ${failures.length} failing: ${failures.join(', ')}`;
  return { type, status: 'True', reason: 'DiscoveryFailed', message };
};

const judgeContent = (remainders: readonly Remainder[]): Told => {
  const type = 'NamespaceContentRemaining';
  if (remainders.length === 0) return no(type, 'ContentRemoved', 'All content successfully removed');
  const parts = remainders.map(({ collection, count }) => `${collection} has ${count} resource instances`).sort();
  const message = `Some resources are remaining: ${parts.join(', ')}`;
  return { type, status: 'True', reason: 'SomeResourcesRemain', message };
};

const judgeFinalizers = (remainders: readonly Remainder[]): Told => {
  const type = 'NamespaceFinalizersRemaining';
  const counts = new Map<string, number>();
  for (const name of remainders.flatMap(({ finalizers }) => finalizers)) counts.set(name, (counts.get(name) ?? 0) + 1);
  if (counts.size === 0) return no(type, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished');
  const parts = Array.from(counts, ([name, count]) => `${name} in ${count} resource instances`).sort();
  const message = `Some content in the namespace has finalizers remaining: ${parts.join(', ')}`;
  return { type, status: 'True', reason: 'SomeFinalizersRemain', message };
};
