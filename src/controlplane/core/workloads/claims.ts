/** Who belongs to whom by labels: a controller takes what matches and nobody has, and lets go what no longer matches. */

import { readIfThere } from '../../../kube/client/if-there.ts';
import type { ReconcileContext } from '../../../kube/controller/controller.ts';
import { type KubeObject, keyOf } from '../../../kube/types/meta.ts';
import type { Resource } from '../../../kube/types/resource.ts';
import { type LabelSelector, matchesLabels } from '../label-selector.ts';
import { controllerOf, referToController, withoutOwners } from '../owner-references.ts';

export interface Claims<T extends KubeObject> {
  /** What is the claimant's, just claimed objects included. */
  readonly owned: readonly T[];
  readonly adopt: readonly T[];
  readonly release: readonly T[];
}

export interface Claimant extends KubeObject {
  readonly spec: { readonly selector: LabelSelector };
}

export const isStaying = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp === undefined;

/** `candidates` are objects of the claimant's namespace. Pure. */
export const planClaims = <T extends KubeObject>(
  { metadata, spec }: Claimant,
  candidates: readonly T[],
  isFit: (candidate: T) => boolean = isStaying,
): Claims<T> => {
  const isMatch = (candidate: T): boolean => matchesLabels(spec.selector, candidate.metadata.labels);
  const adopt = candidates.filter((one) => controllerOf(one) === undefined && isFit(one) && isMatch(one));
  const own = candidates.filter((one) => controllerOf(one)?.uid === metadata.uid);
  return {
    owned: [...own.filter(isMatch), ...adopt],
    adopt,
    release: own.filter((one) => !isMatch(one) && isFit(one)),
  };
};

export interface ClaimTargets {
  readonly claimants: Resource<KubeObject>;
  readonly claimed: Resource<KubeObject>;
  /** Comes with an adoption and goes with a release. */
  readonly finalizer?: string;
}

type Owned = Pick<KubeObject['metadata'], 'ownerReferences' | 'finalizers'>;

/** Before anything is adopted the API is asked whether the claimant still stands: a cache that lags adopts for the dead. */
export const settleClaims = async <T extends KubeObject>(
  { claimants, claimed, finalizer }: ClaimTargets,
  { claimant, claims }: { readonly claimant: KubeObject; readonly claims: Claims<T> },
  context: ReconcileContext,
): Promise<void> => {
  const { adopt, release } = claims;
  if (adopt.length > 0 && !(await stillStands(claimants, claimant, context))) return;
  const reference = referToController(claimants, claimant);
  const save = async (object: T, owned: Owned): Promise<void> => {
    const { uid, resourceVersion } = object.metadata;
    const body = { metadata: { uid, resourceVersion, ...owned } };
    await context.kube.patch(claimed, keyOf(object), { type: 'merge', body }, { signal: context.signal });
  };
  for (const object of adopt) {
    const { ownerReferences = [], finalizers = [] } = object.metadata;
    const held = finalizer !== undefined && { finalizers: [...new Set([...finalizers, finalizer])] };
    await save(object, { ownerReferences: [...ownerReferences, reference], ...held });
  }
  for (const object of release) {
    const { finalizers = [] } = object.metadata;
    const freed = finalizer !== undefined && { finalizers: finalizers.filter((name) => name !== finalizer) };
    await save(object, { ownerReferences: withoutOwners(object, new Set([reference.uid])), ...freed });
  }
};

const stillStands = async (
  resource: Resource<KubeObject>,
  claimant: KubeObject,
  context: ReconcileContext,
): Promise<boolean> => {
  const fresh = await readIfThere(resource, keyOf(claimant), context);
  return fresh?.metadata.uid === claimant.metadata.uid && fresh?.metadata.deletionTimestamp === undefined;
};
