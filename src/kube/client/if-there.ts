/** Looking at the API itself, where a cache that lags would be read as absence; and deleting what may be gone already. */
import { isKind } from '../../base/errors.ts';
import type { KubeObject, ObjectKey } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { KubeClient } from './client.ts';

/** Undefined only when the API says that there is none. */
export const readIfThere = async <T extends KubeObject>(
  resource: Resource<T>,
  key: ObjectKey,
  { kube, signal }: { readonly kube: Pick<KubeClient, 'get'>; readonly signal: AbortSignal },
): Promise<T | undefined> => {
  try {
    return await kube.get(resource, key, { signal });
  } catch (error) {
    if (isKind(error, 'not-found')) return undefined;
    throw error;
  }
};

/** What is gone already need not be deleted. */
export const ifThere = async (deleting: Promise<unknown>): Promise<void> => {
  try {
    await deleting;
  } catch (error) {
    if (!isKind(error, 'not-found')) throw error;
  }
};
