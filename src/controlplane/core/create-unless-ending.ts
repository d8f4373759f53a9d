/** Making an object for an owner that may be on its way out with its namespace: then there is nothing to make any more. */
import { FleetError } from '../../base/errors.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { KubeObject } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

/** The object as it was made, or undefined when its namespace takes nothing in because it ends. */
export const createUnlessEnding = async <T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<T | undefined> => {
  try {
    return await kube.create(resource, object, { signal });
  } catch (error) {
    if (error instanceof FleetError && error.code === 'NamespaceEnding') return undefined;
    throw error;
  }
};
