/**
 * Things that contain others: a Namespace its objects, a CRD the objects of its kind. Such a thing is held while
 * something is in it, and goes with the last of it. (Owners and what they own is the garbage collector's business.)
 */
import { isRecord } from '../../../base/json.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { type Entry, keyFor } from '../../store/store.ts';
import type { ApiDeps } from '../call.ts';
import { CRD_FINALIZER, CRD_RESOURCE } from '../kinds/custom-kinds.ts';
import { collectionOf, type ServedKind } from '../kinds/served-kind.ts';

const NAMESPACES = '/namespaces';
const CRDS = collectionOf(CRD_RESOURCE);

/** Whether a thing that is being deleted must wait: for finalizers, or for what is in it. */
export const isHeld = (deps: ApiDeps, kind: ServedKind, object: StoredObject): boolean => {
  const finalizers = object.metadata.finalizers ?? [];
  return finalizers.some((finalizer) => finalizer !== CRD_FINALIZER) || contentsOf(deps, kind, object).length > 0;
};

/** All that is in a Namespace or belongs to a CRD. */
export const contentsOf = ({ store, registry }: ApiDeps, kind: ServedKind, object: StoredObject): readonly Entry[] => {
  const collection = collectionOf(kind.resource);
  if (collection === CRDS) return store.list(instancesOf(object));
  if (collection !== NAMESPACES) return [];
  const inside = registry.all().filter(({ resource }) => resource.scope === 'Namespaced');
  return inside
    .flatMap(({ resource }) => store.list(collectionOf(resource)))
    .filter((entry) => entry.object.metadata.namespace === object.metadata.name);
};

const instancesOf = (crd: StoredObject): string => {
  const spec = fieldsOf(crd['spec']);
  const group = String(spec['group']);
  return collectionOf({ group, plural: String(fieldsOf(spec['names'])['plural']) });
};

/** After a removal: what contained the object and is being deleted may go now. */
export const settle = (deps: ApiDeps, removed: Entry): void => {
  const { namespace } = removed.object.metadata;
  if (namespace !== undefined) removeIfDone(deps, deps.store.get(NAMESPACES, keyFor(undefined, namespace)));
  const [group = '', plural = ''] = removed.collection.split('/');
  removeIfDone(deps, deps.store.get(CRDS, keyFor(undefined, `${plural}.${group}`)));
};

const removeIfDone = (deps: ApiDeps, container: Entry | undefined): void => {
  if (container?.object.metadata.deletionTimestamp === undefined) return;
  const kind = deps.registry.all().find(({ resource }) => collectionOf(resource) === container.collection);
  if (kind === undefined || isHeld(deps, kind, container.object)) return;
  deps.store.remove(container.collection, container.object);
};

/** Takes the owner out of everything that it owns, so that nothing is collected after it. */
export const orphanDependents = ({ store, registry }: ApiDeps, owner: StoredObject): void => {
  for (const { resource } of registry.all()) {
    const collection = collectionOf(resource);
    for (const { object } of store.list(collection)) {
      const { ownerReferences: owners, ...metadata } = object.metadata;
      if (!Array.isArray(owners)) continue;
      const left = owners.filter((one) => !isRecord(one) || one['uid'] !== owner.metadata.uid);
      if (left.length === owners.length) continue;
      store.put(collection, {
        ...object,
        metadata: left.length === 0 ? metadata : { ...metadata, ownerReferences: left },
      });
    }
  }
};
