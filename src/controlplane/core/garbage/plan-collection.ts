/**
 * What the garbage collector does about one object, decided as Kubernetes' own collector decides: in the background, in
 * the foreground (an owner waits for those dependents that block it) or by orphaning. Pure.
 */
import type { KubeObject } from '../../../kube/types/meta.ts';

export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/** How an owner stands to what it owns: it is there, it is gone, or it is waiting for its dependents to go first. */
export type OwnerState = 'solid' | 'dangling' | 'waiting';

export interface CollectionFacts {
  /** Of each owner reference, by the owner's UID. */
  readonly owners: ReadonlyMap<string, OwnerState>;
  readonly dependents: readonly KubeObject[];
}

export type CollectionStep =
  | { readonly do: 'nothing' }
  | { readonly do: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan' }
  /** Take references to owners out that are gone or going, beside one that stays. */
  | { readonly do: 'disown'; readonly uids: ReadonlySet<string> }
  /** The object is part of a ring: its references block nobody any more, then it goes. */
  | { readonly do: 'unblock' }
  /** Make all dependents forget their owner, then let it go. */
  | { readonly do: 'orphan' }
  /** The owner waited long enough. */
  | { readonly do: 'release' };

const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;

const hasFinalizer = ({ metadata }: KubeObject, name: string): boolean => metadata.finalizers?.includes(name) === true;

/** An owner that was deleted in the foreground and waits. */
export const isWaitingForDependents = (object: KubeObject): boolean =>
  isDeleting(object) && hasFinalizer(object, FOREGROUND_FINALIZER);

export const planCollection = (object: KubeObject, { owners, dependents }: CollectionFacts): CollectionStep => {
  if (isDeleting(object) && hasFinalizer(object, ORPHAN_FINALIZER)) return { do: 'orphan' };
  if (isWaitingForDependents(object)) {
    return dependents.some((dependent) => isBlocking(dependent, object)) ? { do: 'nothing' } : { do: 'release' };
  }
  if (isDeleting(object) || owners.size === 0) return { do: 'nothing' };
  const uidsOf = (...states: readonly OwnerState[]): readonly string[] =>
    [...owners].flatMap(([uid, state]) => (states.includes(state) ? [uid] : []));
  const leaving = uidsOf('dangling', 'waiting');
  if (leaving.length < owners.size) {
    return leaving.length === 0 ? { do: 'nothing' } : { do: 'disown', uids: new Set(leaving) };
  }
  if (uidsOf('waiting').length === 0 || dependents.length === 0) return { do: 'delete', policy: policyOf(object) };
  const isRing = dependents.some(isWaitingForDependents) && blocksAnybody(object);
  return isRing ? { do: 'unblock' } : { do: 'delete', policy: 'Foreground' };
};

const isBlocking = ({ metadata }: KubeObject, owner: KubeObject): boolean =>
  metadata.ownerReferences?.some(
    ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
  ) === true;

const blocksAnybody = ({ metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true) === true;

/** What somebody asked for earlier, by a finalizer, is kept. */
const policyOf = (object: KubeObject): 'Background' | 'Foreground' | 'Orphan' => {
  if (hasFinalizer(object, ORPHAN_FINALIZER)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
};
