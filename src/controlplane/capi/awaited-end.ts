/** Deleting objects and waiting until they are gone, without a poll where a watch can tell. */
import type { Cache } from '../../kube/cache/cache.ts';
import type { ReconcileContext } from '../../kube/controller/controller.ts';
import { type Reconciled, type Report, type StepResult, stop, wait } from '../../kube/controller/outcome.ts';
import { type KubeObject, keyOf, renderKey } from '../../kube/types/meta.ts';
import type { Resource } from '../../kube/types/resource.ts';

/** Deletes what is not being deleted yet. */
export const removeAll = async (
  resource: Resource<KubeObject>,
  objects: readonly KubeObject[],
  { kube, signal }: Pick<ReconcileContext, 'kube' | 'signal'>,
): Promise<void> => {
  for (const object of objects) {
    const { uid = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp === undefined) await kube.delete(resource, keyOf(object), { preconditions: { uid }, signal });
  }
};

/** A cache that does not hold the object yet may never tell of its end: look again this soon. */
const UNSEEN_LOOK_MS = 1_000;

/** The answer of a step that waits for the end of `object`. */
export const awaitEnd = <T extends Reconciled>(
  cache: Pick<Cache<KubeObject>, 'get'>,
  object: KubeObject,
  report: Report<T>,
): StepResult<T> => {
  const isSeen = cache.get(renderKey(keyOf(object)))?.metadata.uid === object.metadata.uid;
  return isSeen ? stop(report) : wait(UNSEEN_LOOK_MS, report);
};
