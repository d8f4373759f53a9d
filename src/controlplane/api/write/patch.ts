/** PATCH: which kind of patch it is, and the object it leads to. */
import { isRecord } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import { type Fields, fieldsOf, parseStoredObject, type StoredObject } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, findEntry, readFields } from '../call.ts';
import { mediaTypeOf } from '../decode/read-json.ts';
import { checkApplied, decodePatched } from '../decode/read-object.ts';
import { APPLY_TYPE } from '../options.ts';
import { applyServerSide } from '../patch/apply.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { findRepeated } from '../patch/merge-applied.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMerge } from '../patch/strategic-merge.ts';
import { ApiRefusal, badRequest, notFound } from '../refusal.ts';
import { createObject } from './create.ts';
import { checkAddress } from './metadata.ts';
import { outOfReachOf, writerOf } from './ownership.ts';
import { updateObject } from './update.ts';

export interface Patched {
  readonly is: 'created' | 'changed';
  readonly object: StoredObject;
}

export const patchObject = (deps: ApiDeps, call: Call): Patched => {
  if (mediaTypeOf(call) === APPLY_TYPE) return applyObject(deps, call);
  const old = findEntry(deps, call);
  const fields = decodePatched(call, patchFields(call, call.kind.readAs(old.object)));
  const object = updateObject(deps, call, { old, wanted: { fields, ownership: 'track', base: 'stored' } });
  return { is: 'changed', object };
};

/** The value with the patch of the call laid over it. */
export const patchFields = (call: Call, target: Fields): Fields => {
  const patched = patchValue(call, target);
  if (isRecord(patched)) return patched;
  throw badRequest('the patch does not lead to an object');
};

const patchValue = (call: Call, target: Fields): unknown => {
  const type = mediaTypeOf(call);
  switch (type) {
    case 'application/merge-patch+json':
      return applyMergePatch(target, readFields(call));
    case 'application/json-patch+json':
      return applyJsonPatch(target, call.body()?.value);
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
    type === 'application/strategic-merge-patch+json'
      ? 'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'
      : '415: Unsupported Media Type',
    {},
  );

const applyObject = (deps: ApiDeps, call: Call): Patched => {
  const { subresource, kind } = call;
  const applied = readApplied(call);
  const old = deps.store.get(collectionFor(call), keyFor(call.namespace, call.name ?? ''));
  if (old === undefined && subresource !== undefined) throw notFound(kind.resource, call.name ?? '');
  const live = old === undefined ? undefined : kind.readAs(old.object);
  const merged = applyServerSide({
    live,
    applied,
    by: writerOf(deps, call),
    conflicts: call.query.get('force') === 'true' ? 'force' : 'refuse',
    shape: kind.shape,
    outOfReach: outOfReachOf(call),
  });
  checkApplied(call);
  if (old === undefined) {
    return { is: 'created', object: createObject(deps, call, { fields: merged, ownership: 'given' }) };
  }
  const wanted = { fields: merged, ownership: 'given', base: 'stored' } as const;
  return { is: 'changed', object: updateObject(deps, call, { old, wanted }) };
};

/** What is applied must say its kind and version, and nothing that the kind does not have. */
const readApplied = (call: Call): Fields => {
  const fields = readFields(call);
  const { resource } = call.kind;
  const expected = apiVersionOf(resource);
  const { apiVersion = '', kind = '' } = fields;
  if (apiVersion !== expected || kind !== resource.kind) {
    const [group = '', version] = String(apiVersion).includes('/') ? String(apiVersion).split('/') : ['', apiVersion];
    throw badRequest(`invalid object type: ${group}/${String(version ?? '')}, Kind=${String(kind)}`);
  }
  const metadata = fieldsOf(fields['metadata']);
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  checkAddress(call, metadata);
  const refuse = (why: string) => badRequest(`failed to create typed patch object: ${why}`);
  const { value, unknown } = call.kind.decode(fields, refuse);
  const [first] = unknown;
  const wrong = first === undefined ? findRepeated(value, call.kind.shape) : `.${first}: field not declared in schema`;
  if (wrong !== undefined) {
    const subject = `${call.namespace ?? ''}/${call.name ?? ''}; ${expected}, Kind=${resource.kind}`;
    throw new ApiRefusal('Unknown', `failed to create typed patch object (${subject}): ${wrong}`);
  }
  return parseStoredObject({ ...value, metadata: { name: call.name, ...fieldsOf(value['metadata']) } });
};
