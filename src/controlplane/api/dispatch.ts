/** Which verb a call is, and its answer. */
import type { Entry } from '../store/store.ts';
import { type ApiDeps, type Call, collectionFor, findEntry, readFields } from './call.ts';
import { mediaTypeOf } from './decode/read-json.ts';
import { readObject } from './decode/read-object.ts';
import { type ApiResponse, reply } from './http.ts';
import { isDeletedTogether } from './kinds/served-kind.ts';
import { checkWriteOptions } from './options.ts';
import { getObject, listObjects } from './read/list.ts';
import { readLog } from './read/log.ts';
import { isTrue } from './read/options.ts';
import { selectionOf } from './read/select.ts';
import { watchObjects } from './read/watch.ts';
import { ApiRefusal, notAllowed, unknownPath } from './refusal.ts';
import { renderObject } from './show/format.ts';
import { formatOf } from './show/negotiate.ts';
import { createObject } from './write/create.ts';
import { deleteEntry } from './write/delete.ts';
import { type Deletion, readDeletion } from './write/delete-options.ts';
import { evictPod } from './write/evict.ts';
import { patchFields, patchObject } from './write/patch.ts';
import { bindPod, renderScale, success, withScale } from './write/subresources.ts';
import { updateObject } from './write/update.ts';
import { writeOf } from './write/write-of.ts';

export const dispatch = (deps: ApiDeps, call: Call): ApiResponse => {
  checkWriteOptions(call, mediaTypeOf(call));
  if (call.name === undefined) return onCollection(deps, call);
  switch (call.subresource) {
    case 'scale':
      return onScale(deps, call);
    case 'binding':
      return onlyFor('POST', call, () => bindPod(deps, call));
    case 'eviction':
      return onlyFor('POST', call, () => evictPod(deps, call));
    case 'log':
      return onlyFor('GET', call, () => readLog(deps, call));
    case 'token':
      // Tokens are issued by whoever stands at the gate; a request that comes this far has nobody to issue one.
      throw new ApiRefusal('ServiceUnavailable', 'this control plane was started without an issuer of tokens');
    case 'finalize':
      return onlyFor('PUT', call, () => onObject(deps, call));
    default:
      return onObject(deps, call);
  }
};

const onlyFor = (method: string, call: Call, answer: () => ApiResponse): ApiResponse => {
  if (call.method !== method) throw notAllowed();
  return answer();
};

const isWatch = ({ query }: Call): boolean => isTrue(query.get('watch'));

const onCollection = (deps: ApiDeps, call: Call): ApiResponse => {
  const isEverywhere = call.kind.resource.scope === 'Namespaced' && call.namespace === undefined;
  if (isEverywhere && call.method !== 'GET') throw notAllowed();
  switch (call.method) {
    case 'GET':
      return isWatch(call) ? watchObjects(deps, call) : listObjects(deps, call);
    case 'POST': {
      formatOf(call);
      const object = createObject(deps, call, { fields: readObject(call), ownership: 'track' });
      return reply(201, renderObject(deps, call, object));
    }
    case 'DELETE':
      if (!isDeletedTogether(call.kind)) throw notAllowed();
      return deleteAll(deps, call);
    default:
      throw notAllowed();
  }
};

const onObject = (deps: ApiDeps, call: Call): ApiResponse => {
  switch (call.method) {
    case 'GET':
      return isWatch(call) ? watchObjects(deps, call) : getObject(deps, call);
    case 'PUT': {
      formatOf(call);
      const wanted = { fields: readObject(call), ownership: 'track', base: 'sent' } as const;
      return reply(200, renderObject(deps, call, updateObject(deps, call, { old: findEntry(deps, call), wanted })));
    }
    case 'PATCH': {
      formatOf(call);
      const { is, object } = patchObject(deps, call);
      return reply(is === 'created' ? 201 : 200, renderObject(deps, call, object));
    }
    case 'DELETE':
      if (call.subresource !== undefined) throw notAllowed();
      return deleteOne(deps, call);
    default:
      throw notAllowed();
  }
};

const onScale = (deps: ApiDeps, call: Call): ApiResponse => {
  const old = findEntry(deps, call);
  const paths = call.kind.scale;
  if (paths === undefined) throw unknownPath();
  const object = call.kind.readAs(old.object);
  const scale = renderScale(object, paths);
  if (call.method === 'GET') return reply(200, scale);
  if (call.method !== 'PUT' && call.method !== 'PATCH') throw notAllowed();
  const wanted = call.method === 'PUT' ? readFields(call) : patchFields(call, scale);
  const fields = withScale(call, object, wanted);
  const next = updateObject(deps, call, { old, wanted: { fields, ownership: 'track', base: 'stored' } });
  return reply(200, renderScale(next, paths));
};

const deleteOne = (deps: ApiDeps, call: Call): ApiResponse => {
  formatOf(call);
  const entry = findEntry(deps, call);
  const { is, object } = deleteAdmitted(deps, call, { entry, deletion: readDeletion(call) });
  const isPod = call.kind.resource.kind === 'Pod' && call.kind.resource.group === '';
  if (is === 'marked' || isPod) return reply(200, renderObject(deps, call, object));
  const { group, plural } = call.kind.resource;
  const { name, uid } = object.metadata;
  return success(200, { name, ...(group !== '' && { group }), kind: plural, uid });
};

const deleteAll = (deps: ApiDeps, call: Call): ApiResponse => {
  const deletion = readDeletion(call);
  const answer = listObjects(deps, call);
  const selected = deps.store.list(collectionFor(call)).filter(selectionOf(call));
  for (const entry of selected) deleteAdmitted(deps, call, { entry, deletion });
  return answer;
};

const deleteAdmitted = (
  deps: ApiDeps,
  call: Call,
  { entry, deletion }: { readonly entry: Entry; readonly deletion: Deletion },
) => {
  const { object: old } = entry;
  const write = writeOf(call, { operation: 'DELETE', name: old.metadata.name, object: undefined, old });
  deps.gate.admit(write, {});
  deps.gate.validate(write);
  return deleteEntry(deps, { kind: call.kind, entry }, deletion);
};
