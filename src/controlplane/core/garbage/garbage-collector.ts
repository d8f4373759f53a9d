/**
 * The garbage collector: deletes objects all of whose owners are gone, lets owners wait for what blocks them, and orphans
 * where that was asked for (plan-collection.ts decides). That an owner is gone is never read from a cache, which may lag,
 * but asked of the API; an owner of a kind that nobody follows counts as alive.
 */
import { isKind } from '../../../base/errors.ts';
import { isEqualJson } from '../../../base/json.ts';
import type { Change } from '../../../kube/cache/object-store.ts';
import { readIfThere } from '../../../kube/client/if-there.ts';
import { type Controller, createController, type ReconcileContext } from '../../../kube/controller/controller.ts';
import type { EventRecorder } from '../../../kube/controller/events.ts';
import type { Verdict } from '../../../kube/queue/work-queue.ts';
import { type KubeObject, keyOf, type OwnerReference, renderKey } from '../../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../../kube/types/resource.ts';
import { type AnyCache, collectionOf, type FollowedKinds } from '../followed-kinds.ts';
import { withoutOwners } from '../owner-references.ts';
import { subjectOf } from '../watch-related.ts';
import {
  type CollectionStep,
  FOREGROUND_FINALIZER,
  isWaitingForDependents,
  ORPHAN_FINALIZER,
  type OwnerState,
  planCollection,
} from './plan-collection.ts';

export interface GarbageCollectorParts {
  readonly kinds: Pick<FollowedKinds, 'all' | 'subscribe'>;
  readonly events: EventRecorder;
}

export const createGarbageCollector = (parts: GarbageCollectorParts): Controller => {
  const { kinds } = parts;
  return createController({
    name: 'garbage-collector',
    watches: kinds.all().map((cache, at) => ({
      cache,
      // One subscription serves all kinds, also those that come later.
      start: (add) =>
        at > 0
          ? () => undefined
          : kinds.subscribe((from, change) => {
              for (const key of concernedKeys(kinds.all(), from, change)) add(key, 'change');
            }),
    })),
    reconcile: (context) => collect(parts, context),
  });
};

/** The object itself, what it owns when it goes, and owners that may be waiting for it. */
const concernedKeys = (caches: readonly AnyCache[], from: AnyCache, change: Change<KubeObject>): readonly string[] => {
  if (change.type === 'updated' && isSameBond(change.old, change.object)) return [];
  const object = subjectOf(change);
  const waiting = (object.metadata.ownerReferences ?? []).flatMap((owner) => waitingOwner(caches, { owner, object }));
  if (change.type === 'deleted') return [...waiting, ...dependentsOf(caches, object).map(renderItem)];
  const isOwned = object.metadata.ownerReferences !== undefined;
  const isHeld = object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers !== undefined;
  const own = isOwned || isHeld ? [renderItem({ cache: from, object })] : [];
  const blocked = isWaitingForDependents(object) ? dependentsOf(caches, object).map(renderItem) : [];
  return [...own, ...waiting, ...blocked];
};

/** Most changes are of a status, and no business of the collector. */
const isSameBond = ({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean =>
  before.uid === after.uid &&
  before.deletionTimestamp === after.deletionTimestamp &&
  isEqualJson(before.ownerReferences, after.ownerReferences) &&
  isEqualJson(before.finalizers, after.finalizers);

interface Item {
  readonly cache: AnyCache;
  readonly object: KubeObject;
}

/** One key for objects of all kinds: `pods. ns/name`. */
const renderItem = ({ cache, object }: Item): string => `${collectionOf(cache.resource)} ${renderKey(keyOf(object))}`;

const dependentsOf = (caches: readonly AnyCache[], { metadata }: KubeObject): readonly Item[] =>
  caches.flatMap((cache) => cache.byIndex('owner', metadata.uid ?? '').map((object) => ({ cache, object })));

interface Ownership {
  readonly owner: OwnerReference;
  readonly object: KubeObject;
}

const waitingOwner = (caches: readonly AnyCache[], { owner, object }: Ownership): readonly string[] => {
  const cache = findOwnerCache(caches, owner);
  const key = cache === undefined ? undefined : ownerKey(cache.resource, { owner, object });
  const found = key === undefined ? undefined : cache?.get(renderKey(key));
  if (cache === undefined || found === undefined || found.metadata.uid !== owner.uid) return [];
  return isWaitingForDependents(found) ? [renderItem({ cache, object: found })] : [];
};

const findOwnerCache = (caches: readonly AnyCache[], owner: OwnerReference): AnyCache | undefined =>
  caches.find(({ resource }) => resource.kind === owner.kind && isSameGroup(resource, owner));

/** An owner may be named in an older version of its group. */
const isSameGroup = (resource: Resource<KubeObject>, { apiVersion }: OwnerReference): boolean => {
  const groupOf = (text: string): string => (text.includes('/') ? (text.split('/')[0] ?? '') : '');
  return groupOf(apiVersion) === groupOf(apiVersionOf(resource));
};

/** Where the owner would be: in the object's own namespace. Undefined for an owner that cannot be. */
const ownerKey = ({ scope }: Resource<KubeObject>, { owner, object }: Ownership) => {
  const { namespace } = object.metadata;
  if (scope === 'Cluster') return { name: owner.name };
  return namespace === undefined ? undefined : { namespace, name: owner.name };
};

const collect = async (parts: GarbageCollectorParts, context: ReconcileContext): Promise<Verdict> => {
  const [collection = '', objectKey = ''] = context.key.split(' ');
  const caches = parts.kinds.all();
  const cache = caches.find(({ resource }) => collectionOf(resource) === collection);
  const object = cache?.get(objectKey);
  if (cache === undefined || object === undefined) return { next: 'rest' };
  const dependents = dependentsOf(caches, object);
  const owners = new Map<string, OwnerState>();
  for (const owner of object.metadata.ownerReferences ?? []) {
    owners.set(owner.uid, await judgeOwner(parts, { owner, object, cache }, context));
  }
  const step = planCollection(object, { owners, dependents: dependents.map((item) => item.object) });
  try {
    await act(step, { cache, object, dependents }, context);
  } catch (error) {
    // Gone already: that is what was wanted.
    if (!isKind(error, 'not-found')) throw error;
  }
  return { next: 'rest' };
};

const judgeOwner = async (
  { kinds, events }: GarbageCollectorParts,
  { owner, object, cache }: Ownership & Item,
  context: ReconcileContext,
): Promise<OwnerState> => {
  const known = findOwnerCache(kinds.all(), owner);
  if (known === undefined) return 'solid';
  const key = ownerKey(known.resource, { owner, object });
  if (key === undefined) {
    const message = `ownerRef ${owner.kind} ${owner.name} is namespaced, but this object is not`;
    events.publish(cache.resource, object, [{ type: 'Warning', reason: 'OwnerRefInvalidNamespace', message }]);
    return 'solid';
  }
  const held = known.get(renderKey(key));
  const found = held?.metadata.uid === owner.uid ? held : await readIfThere(known.resource, key, context);
  if (found?.metadata.uid !== owner.uid) return 'dangling';
  return isWaitingForDependents(found) ? 'waiting' : 'solid';
};

const act = async (
  step: CollectionStep,
  { cache, object, dependents }: Item & { readonly dependents: readonly Item[] },
  context: ReconcileContext,
): Promise<void> => {
  const patch = (item: Item, metadata: object) => patchMetadata(item, metadata, context);
  const { finalizers = [], ownerReferences = [] } = object.metadata;
  const without = (name: string) => ({ finalizers: finalizers.filter((finalizer) => finalizer !== name) });
  const item = { cache, object };
  switch (step.do) {
    case 'nothing':
      return;
    case 'delete':
      return deleteObject(item, step.policy, context);
    case 'disown':
      return patch(item, { ownerReferences: withoutOwners(object, step.uids) });
    case 'unblock':
      return patch(item, {
        ownerReferences: ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
      });
    case 'orphan':
      for (const dependent of dependents) {
        const left = withoutOwners(dependent.object, new Set([object.metadata.uid ?? '']));
        await patch(dependent, { ownerReferences: left });
      }
      return patch(item, without(ORPHAN_FINALIZER));
    case 'release':
      return patch(item, without(FOREGROUND_FINALIZER));
  }
};

const patchMetadata = async (
  { cache, object }: Item,
  metadata: object,
  { kube, signal }: ReconcileContext,
): Promise<void> => {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { ...metadata, uid, resourceVersion } };
  await kube.patch(cache.resource, keyOf(object), { type: 'merge', body }, { signal });
};

/** Conditional on the version too: somebody may have given it another owner by now. */
const deleteObject = (
  { cache, object }: Item,
  propagationPolicy: 'Background' | 'Foreground' | 'Orphan',
  { kube, signal }: ReconcileContext,
): Promise<void> => {
  const { uid = '', resourceVersion = '' } = object.metadata;
  const preconditions = { uid, resourceVersion };
  return kube.delete(cache.resource, keyOf(object), { preconditions, propagationPolicy, signal });
};
