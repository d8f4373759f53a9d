/** Looking at the API itself, where a cache that lags would be read as absence. */
import { isKind } from '../../base/errors.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import type { KubeObject, ObjectKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

/** Undefined only when the API says that there is none. */
export const readIfThere = async <T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey,
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<T | undefined> => {
  try {
    return await kube.get(resource, key, { signal });
  } catch (error) {
    if (isKind(error, 'not-found')) return undefined;
    throw error;
  }
};
