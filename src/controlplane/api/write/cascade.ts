/**
 * Things that contain others: a Namespace its objects, a CRD the objects of its kind. The Namespace controller empties a
 * Namespace and then takes its finalizer away; the objects of a CRD go with it, here. (Owners and what they own is the
 * garbage collector's business.)
 */
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { type Entry, keyFor } from '../../store/store.ts';
import type { ApiDeps } from '../call.ts';
import { readDefinition } from '../kinds/crd-definition.ts';
import { CRD_FINALIZER, CRD_RESOURCE } from '../kinds/crd-kind.ts';
import { collectionOf, type ServedKind } from '../kinds/served-kind.ts';

const NAMESPACES = '/namespaces';
const CRDS = collectionOf(CRD_RESOURCE);

/** Whether a thing that is being deleted must wait: for finalizers, or for what is in it. */
export const isHeld = (deps: ApiDeps, kind: ServedKind, object: StoredObject): boolean => {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.some((finalizer) => finalizer !== CRD_FINALIZER)) return true;
  if (collectionOf(kind.resource) === NAMESPACES) return hasOwnFinalizers(object);
  return contentsOf(deps, kind, object).length > 0;
};

/** A Namespace has finalizers of its own kind, in its spec. */
const hasOwnFinalizers = (namespace: StoredObject): boolean => {
  const { finalizers } = fieldsOf(namespace['spec']);
  return Array.isArray(finalizers) && finalizers.length > 0;
};

/** The objects that belong to a CRD; nothing for other kinds. */
export const contentsOf = ({ store, registry }: ApiDeps, kind: ServedKind, object: StoredObject): readonly Entry[] => {
  if (collectionOf(kind.resource) !== CRDS) return [];
  const collection = collectionOf(readDefinition(object));
  return registry.ofCollection(collection)?.origin === 'custom' ? store.list(collection) : [];
};

/** After a removal: the CRD of the object's kind, if it is being deleted, may go now. */
export const settle = (deps: ApiDeps, removed: Entry): void => {
  const [group = '', plural = ''] = removed.collection.split('/');
  const crd = deps.store.get(CRDS, keyFor(undefined, `${plural}.${group}`));
  if (crd?.object.metadata.deletionTimestamp === undefined) return;
  const kind = deps.registry.ofCollection(CRDS);
  if (kind === undefined || isHeld(deps, kind, crd.object)) return;
  deps.store.remove(crd.collection, crd.object);
};
