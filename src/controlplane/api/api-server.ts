/**
 * The Kubernetes API as a plain function: a request goes in, an answer comes out, all of it synchronous on the store.
 * Every authenticated user may do everything; roles are stored and not enforced yet.
 */
import type { Clock } from '../../base/clock.ts';
import { toFleetError } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { ADMIN } from '../auth/user.ts';
import { keyFor, type Store } from '../store/store.ts';
import { type ApiDeps, type Call, findEntry, parseCall, readFields } from './call.ts';
import { type ApiRequest, type ApiResponse, reply, replyText } from './http.ts';
import { createRegistry } from './kinds/registry.ts';
import { collectionOf } from './kinds/served-kind.ts';
import { getObject, listObjects } from './read/list.ts';
import { selectionOf } from './read/select.ts';
import { watchObjects } from './read/watch.ts';
import { ApiRefusal, notAllowed, replyRefusal, unknownPath } from './refusal.ts';
import { discover } from './show/discovery.ts';
import { describeOpenApi } from './show/openapi.ts';
import { createObject } from './write/create.ts';
import { deleteEntry, readDeletion } from './write/delete.ts';
import { patchFields, patchObject } from './write/patch.ts';
import { bindPod, evictPod, renderScale, success, withScale } from './write/subresources.ts';
import { updateObject } from './write/update.ts';

export interface ApiServer {
  /** Never throws: every failure is an answer. */
  handle(request: ApiRequest): ApiResponse;
  /** Ends all watches; later requests are still answered. */
  close(): void;
}

export interface ApiServerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

/** The version whose behaviour is imitated. */
const VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.0+macfleet', platform: 'embedded' } as const;

const INITIAL_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export const createApiServer = ({ store, clock, ids, logger }: ApiServerDeps): ApiServer => {
  const deps: ApiDeps = { store, clock, ids, registry: createRegistry(store), watches: new Set() };
  const handle = (request: ApiRequest): ApiResponse => {
    try {
      return answer(deps, request);
    } catch (thrown) {
      if (thrown instanceof ApiRefusal) return replyRefusal(thrown);
      const error = toFleetError(thrown);
      logger.error('A request failed inside the server', { method: request.method, path: request.path, error });
      return replyRefusal(new ApiRefusal('InternalError', `Internal error occurred: ${error.message}`));
    }
  };
  createNamespaces(deps, handle);
  return {
    handle,
    close: () => {
      for (const end of [...deps.watches]) end();
    },
  };
};

const createNamespaces = ({ store }: ApiDeps, handle: ApiServer['handle']): void => {
  for (const name of INITIAL_NAMESPACES) {
    if (store.get('/namespaces', keyFor(undefined, name)) !== undefined) continue;
    const body = JSON.stringify({ metadata: { name } });
    handle({ method: 'POST', path: '/api/v1/namespaces', headers: {}, body, user: ADMIN });
  }
};

const HEALTH_PATHS = ['/healthz', '/readyz', '/livez'];

/** Paths that anybody may ask. */
export const isHealthPath = (path: string): boolean => HEALTH_PATHS.includes(path.split(/[?]/)[0] ?? '');

const answer = (deps: ApiDeps, request: ApiRequest): ApiResponse => {
  const [rawPath = ''] = request.path.split('?');
  const path = rawPath.length > 1 ? rawPath.replace(/\/$/, '') : rawPath;
  if (isHealthPath(path)) return replyText(200, 'ok');
  if (path === '/version') return reply(200, VERSION);
  const call = parseCall(request, deps.registry);
  if (call !== undefined) return dispatch(deps, call);
  const described =
    request.method === 'GET'
      ? (discover(deps.registry, path, request.headers['accept'] ?? '') ?? describeOpenApi(deps.registry, path))
      : undefined;
  if (described === undefined) throw unknownPath();
  return described;
};

const dispatch = (deps: ApiDeps, call: Call): ApiResponse => {
  if (call.name === undefined) return onCollection(deps, call);
  switch (call.subresource) {
    case 'scale':
      return onScale(deps, call);
    case 'binding':
    case 'eviction':
      if (call.method !== 'POST') throw notAllowed();
      return call.subresource === 'binding' ? bindPod(deps, call) : evictPod(deps, call);
    default:
      return onObject(deps, call);
  }
};

const onCollection = (deps: ApiDeps, call: Call): ApiResponse => {
  switch (call.method) {
    case 'GET':
      return isWatch(call) ? watchObjects(deps, call) : listObjects(deps, call);
    case 'POST':
      return reply(201, createObject(deps, call, readFields(call)));
    case 'DELETE':
      return deleteAll(deps, call);
    default:
      throw notAllowed();
  }
};

const isWatch = ({ query }: Call): boolean => ['true', '1'].includes(query.get('watch') ?? '');

const onObject = (deps: ApiDeps, call: Call): ApiResponse => {
  switch (call.method) {
    case 'GET':
      return isWatch(call) ? watchObjects(deps, call) : getObject(deps, call);
    case 'PUT': {
      const wanted = { fields: readFields(call), ownership: 'track', base: 'sent' } as const;
      return reply(200, updateObject(deps, call, { old: findEntry(deps, call), wanted }));
    }
    case 'PATCH': {
      const { is, object } = patchObject(deps, call);
      return reply(is === 'created' ? 201 : 200, object);
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
  const scale = renderScale(old.object, paths);
  if (call.method === 'GET') return reply(200, scale);
  if (call.method !== 'PUT' && call.method !== 'PATCH') throw notAllowed();
  const wanted = call.method === 'PUT' ? readFields(call) : patchFields(call, scale);
  const fields = withScale(call, old.object, wanted);
  const next = updateObject(deps, call, { old, wanted: { fields, ownership: 'track', base: 'stored' } });
  return reply(200, renderScale(next, paths));
};

const deleteOne = (deps: ApiDeps, call: Call): ApiResponse => {
  const { is, object } = deleteEntry(deps, { kind: call.kind, entry: findEntry(deps, call) }, readDeletion(call));
  if (is === 'marked') return reply(200, object);
  const { group, plural } = call.kind.resource;
  const { name, uid } = object.metadata;
  return success(200, { name, ...(group !== '' && { group }), kind: plural, uid });
};

const deleteAll = (deps: ApiDeps, call: Call): ApiResponse => {
  const deletion = readDeletion(call);
  const selected = deps.store.list(collectionOf(call.kind.resource)).filter(selectionOf(call));
  for (const entry of selected) deleteEntry(deps, { kind: call.kind, entry }, deletion);
  return success(200);
};
