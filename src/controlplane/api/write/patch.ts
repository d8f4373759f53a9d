/** PATCH: which kind of patch it is, and the object it leads to. */
import { toTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import type { Fields, StoredObject } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, findEntry, readFields } from '../call.ts';
import { applyServerSide } from '../patch/apply.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMerge } from '../patch/strategic-merge.ts';
import { ApiRefusal, badRequest, notFound } from '../refusal.ts';
import { createObject } from './create.ts';
import { updateObject } from './update.ts';

export interface Patched {
  readonly is: 'created' | 'changed';
  readonly object: StoredObject;
}

const APPLY = 'application/apply-patch+yaml';

export const patchObject = (deps: ApiDeps, call: Call): Patched => {
  const type = patchTypeOf(call);
  if (type === APPLY) return applyObject(deps, call);
  const old = findEntry(deps, call);
  const fields = patchFields(call, old.object);
  const object = updateObject(deps, call, { old, wanted: { fields, ownership: 'track', base: 'stored' } });
  return { is: 'changed', object };
};

const patchTypeOf = ({ headers }: Call): string => (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';

/** The value with the patch of the call laid over it. */
export const patchFields = (call: Call, target: Fields): Fields => {
  const patched = patchValue(call, target);
  if (isRecord(patched)) return patched;
  throw badRequest('the patch does not lead to an object');
};

const patchValue = (call: Call, target: Fields): unknown => {
  const type = patchTypeOf(call);
  switch (type) {
    case 'application/merge-patch+json':
      return applyMergePatch(target, readFields(call));
    case 'application/json-patch+json':
      return applyJsonPatch(target, call.body());
    case 'application/strategic-merge-patch+json':
      if (call.kind.origin === 'builtin') return applyStrategicMerge(target, readFields(call), call.kind.shape);
      throw unsupported(type);
    default:
      throw unsupported(type);
  }
};

const unsupported = (type: string): ApiRefusal =>
  new ApiRefusal(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format (${type}) - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`,
  );

const applyObject = (deps: ApiDeps, call: Call): Patched => {
  const manager = call.query.get('fieldManager');
  if (manager === null || manager === '') throw badRequest('fieldManager is required for apply patch');
  const applied = readFields(call);
  const { store, clock } = deps;
  const old = store.get(collectionFor(call), keyFor(call.namespace, call.name ?? ''));
  const { subresource, kind } = call;
  if (old === undefined && subresource !== undefined) throw notFound(kind.resource, call.name ?? '');
  const merged = applyServerSide({
    live: old?.object,
    applied: withName(call, applied),
    by: {
      manager,
      apiVersion: apiVersionOf(kind.resource),
      time: toTimestamp(clock.now()),
      ...(subresource !== undefined && { subresource }),
    },
    conflicts: call.query.get('force') === 'true' ? 'force' : 'refuse',
    shape: kind.shape,
  });
  if (old === undefined) return { is: 'created', object: createObject(deps, call, merged) };
  const wanted = { fields: merged, ownership: 'given', base: 'stored' } as const;
  return { is: 'changed', object: updateObject(deps, call, { old, wanted }) };
};

/** The path names the object even if the body does not. */
const withName = ({ name }: Call, applied: Fields): Fields => {
  const metadata = isRecord(applied['metadata']) ? applied['metadata'] : {};
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  return { ...applied, metadata: { name, ...metadata } };
};
