/** How objects of the embedded controllers belong to each other. */
import { assert } from '../../base/errors.ts';
import type { KubeObject, OwnerReference } from '../../kube/types/meta.ts';
import { apiVersionOf, type Resource } from '../../kube/types/resource.ts';

/** A reference to an owner that is stored already. */
export const referTo = (resource: Resource<KubeObject>, { metadata }: KubeObject): OwnerReference => {
  assert(metadata.uid !== undefined, `${resource.kind} ${metadata.name} was not read from an API`);
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name: metadata.name, uid: metadata.uid };
};

/** The reference by which an object belongs to the controller that made it: there is one at most. */
export const referToController = (resource: Resource<KubeObject>, owner: KubeObject): OwnerReference => ({
  ...referTo(resource, owner),
  controller: true,
  blockOwnerDeletion: true,
});

export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

/** For a cache's index: objects by the UID of their controller. */
export const byControllerUid = (object: KubeObject): readonly string[] => {
  const controller = controllerOf(object);
  return controller === undefined ? [] : [controller.uid];
};

/** The key of the controller in the object's own namespace, when it is of this kind. */
export const controllerKeyOf = (resource: Resource<KubeObject>, object: KubeObject): readonly string[] => {
  const controller = controllerOf(object);
  if (controller?.kind !== resource.kind || controller.apiVersion !== apiVersionOf(resource)) return [];
  return [`${object.metadata.namespace}/${controller.name}`];
};

/** For a cache's index: objects by the UIDs of all their owners. */
export const byOwnerUid = ({ metadata }: KubeObject): readonly string[] =>
  metadata.ownerReferences?.map(({ uid }) => uid) ?? [];

/** The object without the owners that have one of these UIDs, as the part of a merge patch. */
export const withoutOwners = ({ metadata }: KubeObject, uids: ReadonlySet<string>): readonly OwnerReference[] =>
  (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
