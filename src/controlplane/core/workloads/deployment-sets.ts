/** The ReplicaSets of a Deployment: which is of the present template, how it is named, numbered and made. Pure. */
import { createHash } from 'node:crypto';
import { parseTimestamp } from '../../../base/clock.ts';
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { referToController } from '../owner-references.ts';
import type { ScaledSet } from './plan-scaling.ts';
import { DEPLOYMENTS, type Deployment, type PodTemplate, type ReplicaSet } from './replicated.ts';

const TEMPLATE_HASH = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MAX = 'deployment.kubernetes.io/max-replicas';
/** Of the Deployment alone. */
const OWN_ANNOTATIONS = [
  ...['kubectl.kubernetes.io/last-applied-configuration', REVISION, DESIRED, MAX],
  'deployment.kubernetes.io/revision-history',
];

/** Kubernetes counts them in 64 bits, more than a number here can tell apart. */
export const revisionOf = ({ metadata }: ReplicaSet | Deployment): bigint => {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
};

/** The oldest of those that have the Deployment's template. */
export const findCurrent = (deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined =>
  sortByAge(sets).find(({ spec }) => isEqualJson(withoutHash(spec.template), withoutHash(deployment.spec.template)));

export const sortByAge = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  [...sets].sort((left, right) => bornMs(left) - bornMs(right) || (left.metadata.name < right.metadata.name ? -1 : 1));

const bornMs = ({ metadata }: ReplicaSet): number => parseTimestamp(metadata.creationTimestamp) ?? 0;

const withoutHash = ({ metadata, spec }: PodTemplate): unknown => {
  const { [TEMPLATE_HASH]: _hash, ...labels } = metadata?.labels ?? {};
  return { labels, annotations: metadata?.annotations ?? {}, spec };
};

/** The next number after those of all other sets. */
export const nextRevision = (others: readonly ReplicaSet[]): bigint => maxRevision(others.map(revisionOf)) + 1n;

export const maxRevision = (revisions: readonly bigint[]): bigint => {
  let most = 0n;
  for (const revision of revisions) if (revision > most) most = revision;
  return most;
};

/** What a set is told of its Deployment. */
export const annotationsFor = (
  { metadata, spec }: Deployment,
  { revision, surge }: { readonly revision: bigint; readonly surge: number },
): Readonly<Record<string, string>> => {
  const copied = Object.entries(metadata.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.includes(key));
  return { ...Object.fromEntries(copied), [REVISION]: String(revision), ...sizeAnnotations(spec.replicas ?? 1, surge) };
};

/** How large the Deployment is when a set is scaled. */
export const sizeAnnotations = (wanted: number, surge: number): Readonly<Record<string, string>> => ({
  [DESIRED]: String(wanted),
  [MAX]: String(wanted + surge),
});

/** What a set was told of that size when it was last scaled. */
export const toldSize = ({ metadata }: ReplicaSet): Pick<ScaledSet, 'desired' | 'max'> => {
  const numberIn = (name: string): number | undefined => {
    const text = metadata.annotations?.[name] ?? '';
    return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  };
  return { desired: numberIn(DESIRED), max: numberIn(MAX) };
};

export const revisionAnnotation = (revision: bigint): Readonly<Record<string, string>> => ({
  [REVISION]: String(revision),
});

/** The set for the present template. Its name follows from the template, so that it is made once. */
export const renderReplicaSet = (
  deployment: Deployment,
  { replicas, annotations }: { readonly replicas: number; readonly annotations: Readonly<Record<string, string>> },
): ReplicaSet => {
  const { metadata, spec } = deployment;
  const hash = hashTemplate(deployment);
  const labels = { ...spec.template.metadata?.labels, [TEMPLATE_HASH]: hash };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    metadata: {
      ...{ namespace: metadata.namespace ?? '', name: `${metadata.name}-${hash}`, labels, annotations },
      ownerReferences: [referToController(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds !== undefined && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
};

const HASH_ALPHABET = 'bcdf2456789';

/** The same for the same template, whatever the order of its fields; without vowels, as names shall be. */
const hashTemplate = ({ spec, status }: Deployment): string => {
  const text = JSON.stringify(sortKeys([withoutHash(spec.template), status?.collisionCount ?? 0]));
  const bytes = createHash('sha256').update(text).digest().subarray(0, 10);
  return Array.from(bytes, (byte) => HASH_ALPHABET[byte % HASH_ALPHABET.length]).join('');
};

export const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
};
