/**
 * Writing back: minimal merge patches that carry the resourceVersion they were computed from, so that nothing decided
 * on a stale copy is ever stored. Nothing changed means nothing is sent.
 */
import { isRecord } from '../../base/json.ts';
import type { Cache } from '../cache/cache.ts';
import { keyOf } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';
import type { ReconcileContext } from './controller.ts';
import { diffMerge } from './merge-patch.ts';
import type { Reconciled } from './outcome.ts';

export interface Save<T extends Reconciled> {
  /** As the API server has it: the version that the patch is conditional on, and the status to replace. */
  readonly stored: T;
  /** As the pass read it: the spec to compare with. */
  readonly found: T;
  readonly after: T;
}

/** Saves what of spec and status differs: spec first, because a status speaks of it. Returns the object as stored. */
export const saveObject = async <T extends Reconciled>(
  resource: Resource<T>,
  { stored, found, after }: Save<T>,
  context: ReconcileContext,
): Promise<T> => {
  const spec = diffMerge(found.spec, after.spec);
  const annotations = diffMerge(found.metadata.annotations ?? {}, after.metadata.annotations ?? {});
  const wish = {
    ...(isRecord(annotations) ? { metadata: { annotations } } : {}),
    ...(isRecord(spec) ? { spec } : {}),
  };
  let saved = stored;
  if (Object.keys(wish).length > 0) saved = await sendPatch(resource, saved, { body: wish, context });
  const status = diffMerge(stored.status, after.status);
  if (!isRecord(status)) return saved;
  const told = withGeneration(status, stored.metadata.generation, saved.metadata.generation);
  return sendPatch(resource, saved, { body: { status: told }, context, subresource: 'status' });
};

/** What a pass says, it says of the spec that it has saved; otherwise the next pass would say it once more. */
const withGeneration = (
  status: Readonly<Record<string, unknown>>,
  before: number | undefined,
  saved: number | undefined,
): Readonly<Record<string, unknown>> => {
  const { conditions } = status;
  if (before === saved || !Array.isArray(conditions)) return status;
  const restamp = (condition: unknown): unknown =>
    isRecord(condition) && condition['observedGeneration'] === before
      ? { ...condition, observedGeneration: saved }
      : condition;
  return { ...status, conditions: conditions.map(restamp) };
};

interface Finalizing<T extends Reconciled> {
  readonly cache: Cache<T>;
  readonly finalizer: string;
}

/** Stored before the first effect, or a delete in between would leave that effect without an owner (S6). */
export const addFinalizer = async <T extends Reconciled>(
  { cache, finalizer, annotations }: Finalizing<T> & { readonly annotations: Readonly<Record<string, string>> },
  context: ReconcileContext,
  object: T,
): Promise<T> => {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return object;
  const metadata = {
    finalizers: [...finalizers, finalizer],
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  return sendPatch(cache.resource, object, { body: { metadata }, context });
};

export const removeFinalizer = async <T extends Reconciled>(
  { cache, finalizer }: Finalizing<T>,
  context: ReconcileContext,
  object: T,
): Promise<void> => {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  await sendPatch(cache.resource, object, { body: { metadata: { finalizers } }, context });
};

const sendPatch = <T extends Reconciled>(
  resource: Resource<T>,
  object: T,
  patch: {
    readonly body: { readonly metadata?: object; readonly spec?: unknown; readonly status?: unknown };
    readonly context: ReconcileContext;
    readonly subresource?: 'status';
  },
): Promise<T> => {
  const { uid, resourceVersion } = object.metadata;
  const body = { ...patch.body, metadata: { ...patch.body.metadata, uid, resourceVersion } };
  const { signal } = patch.context;
  const options = patch.subresource === undefined ? { signal } : { signal, subresource: patch.subresource };
  return patch.context.kube.patch(resource, keyOf(object), { type: 'merge', body }, options);
};
