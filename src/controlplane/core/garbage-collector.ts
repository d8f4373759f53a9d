/**
 * The garbage collector: deletes objects all of whose owners are gone, in the background. That an owner is gone is never
 * read from a cache, which may lag, but asked of the API; an owner of a kind that is not followed counts as alive.
 * Foreground deletion (`blockOwnerDeletion`) and dangling references beside a living owner are left as they are.
 */
import type { Cache } from '../../kube/cache/cache.ts';
import {
  type Controller,
  createController,
  type ReconcileContext,
  type Watch,
  watchMapped,
} from '../../kube/controller/controller.ts';
import type { Verdict } from '../../kube/queue/work-queue.ts';
import { type KubeObject, keyOf, type OwnerReference, renderKey } from '../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../kube/types/resource.ts';
import { readIfThere } from './read-if-there.ts';

type AnyCache = Cache<KubeObject>;

/** The indexes that every cache needs for the collector. */
export const COLLECTOR_INDEXES = {
  owner: ({ metadata }: KubeObject): readonly string[] => metadata.ownerReferences?.map(({ uid }) => uid) ?? [],
};

/** The collector reads nothing else. */
export const keepOwnersOnly = ({ metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences } = metadata;
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(ownerReferences !== undefined && { ownerReferences }),
    },
  };
};

export const createGarbageCollector = (caches: readonly AnyCache[]): Controller =>
  createController({
    name: 'garbage-collector',
    watches: caches.map((cache) => watchOwners(cache, caches)),
    reconcile: (context) => collect(caches, context),
  });

/** Wakes what may have lost an owner: a dependent that is new, and all dependents of what was deleted. */
const watchOwners = (cache: AnyCache, caches: readonly AnyCache[]): Watch =>
  watchMapped(cache, (change) => {
    if (change.type === 'deleted') return dependentsOf(caches, change.old.metadata.uid ?? '');
    return change.object.metadata.ownerReferences === undefined ? [] : [renderItemKey(cache, change.object)];
  });

const dependentsOf = (caches: readonly AnyCache[], uid: string): readonly string[] =>
  caches.flatMap((cache) => cache.byIndex('owner', uid).map((object) => renderItemKey(cache, object)));

const collectionOf = ({ resource }: AnyCache): string => `${resource.plural}.${resource.group}`;

/** One key for objects of all kinds: `pods. ns/name`. */
const renderItemKey = (cache: AnyCache, object: KubeObject): string =>
  `${collectionOf(cache)} ${renderKey(keyOf(object))}`;

const collect = async (caches: readonly AnyCache[], { key, kube, signal }: ReconcileContext): Promise<Verdict> => {
  const [collection = '', objectKey = ''] = key.split(' ');
  const cache = caches.find((candidate) => collectionOf(candidate) === collection);
  const object = cache?.get(objectKey);
  if (cache === undefined || object === undefined || object.metadata.deletionTimestamp !== undefined) {
    return { next: 'rest' };
  }
  const owners = object.metadata.ownerReferences ?? [];
  for (const owner of owners) {
    if (await isAlive(caches, { owner, object }, { kube, signal })) return { next: 'rest' };
  }
  if (owners.length === 0) return { next: 'rest' };
  const { uid = '' } = object.metadata;
  await kube.delete(cache.resource, keyOf(object), {
    preconditions: { uid },
    propagationPolicy: 'Background',
    signal,
  });
  return { next: 'rest' };
};

const isAlive = async (
  caches: readonly AnyCache[],
  { owner, object }: { readonly owner: OwnerReference; readonly object: KubeObject },
  context: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<boolean> => {
  const known = caches.find(({ resource }) => resource.kind === owner.kind && isSameGroup(resource, owner));
  if (known === undefined) return true;
  const { namespace } = object.metadata;
  const isNamespaced = known.resource.scope === 'Namespaced' && namespace !== undefined;
  const key = isNamespaced ? { namespace, name: owner.name } : { name: owner.name };
  if (known.get(renderKey(key))?.metadata.uid === owner.uid) return true;
  const found = await readIfThere(known.resource, key, context);
  return found?.metadata.uid === owner.uid;
};

/** An owner may be named in an older version of its group. */
const isSameGroup = (resource: Resource<KubeObject>, { apiVersion }: OwnerReference): boolean => {
  const groupOf = (text: string): string => (text.includes('/') ? (text.split('/')[0] ?? '') : '');
  return groupOf(apiVersion) === groupOf(apiVersionOf(resource));
};
