/** One request to a kind, taken apart: what every verb needs to know, and the things of the server it may use. */
import { parse as parseYaml } from 'yaml';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { isRecord } from '../../base/json.ts';
import type { User } from '../auth/user.ts';
import type { Fields } from '../store/object.ts';
import { type Entry, keyFor, type Store } from '../store/store.ts';
import type { ApiRequest } from './http.ts';
import type { Registry } from './kinds/registry.ts';
import { collectionOf, type ServedKind } from './kinds/served-kind.ts';
import { ApiRefusal, badRequest, notFound } from './refusal.ts';

export interface ApiDeps {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Ends every open watch; each watch adds itself. */
  readonly watches: Set<() => void>;
}

export interface Call {
  readonly method: string;
  readonly kind: ServedKind;
  /** Undefined for cluster-wide kinds, and for lists over all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly user: User;
  /** The body, parsed; undefined when there is none. */
  readonly body: () => unknown;
}

const PATH = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;
const NAMESPACE_PATH = /^\/api\/v1\/namespaces(?:\/([^/]+))?(?:\/(status|finalize))?$/;

/** The call that the path means, or undefined when no kind is served there. */
export const parseCall = (request: ApiRequest, registry: Registry): Call | undefined => {
  const [path = '', query = ''] = request.path.split(/\?(.*)/s);
  const target = parsePath(path);
  const kind = target === undefined ? undefined : registry.find(target);
  if (target === undefined || kind === undefined) return undefined;
  const isClusterWide = kind.resource.scope === 'Cluster';
  if (isClusterWide ? target.namespace !== undefined : target.name !== undefined && target.namespace === undefined) {
    return undefined;
  }
  const { method, headers, user } = request;
  const { namespace, name, subresource } = target;
  const isServed = subresource === undefined || kind.subresources.some((served) => served === subresource);
  if (!isServed) return undefined;
  const body = (): unknown => readBody(request);
  return { method, kind, namespace, name, subresource, query: new URLSearchParams(query), headers, user, body };
};

const parsePath = (path: string) => {
  const namespacePath = NAMESPACE_PATH.exec(path);
  if (namespacePath !== null) {
    const [, name, subresource] = namespacePath;
    return { group: '', version: 'v1', plural: 'namespaces', namespace: undefined, name: decode(name), subresource };
  }
  const [, group = '', version, namespace, plural, name, subresource] = PATH.exec(path) ?? [];
  if (version === undefined || plural === undefined) return undefined;
  return { group, version, plural, namespace: decode(namespace), name: decode(name), subresource };
};

const decode = (segment: string | undefined): string | undefined => {
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`${JSON.stringify(segment)} is not a valid path segment`);
  }
};

const YAML_TYPES = ['application/yaml', 'application/apply-patch+yaml'];

const readBody = ({ headers, body }: ApiRequest): unknown => {
  if (body === undefined || body.length === 0) return undefined;
  const [type = ''] = (headers['content-type'] ?? 'application/json').split(';');
  if (/protobuf|cbor/.test(type)) {
    throw new ApiRefusal(
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml`,
    );
  }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  try {
    return YAML_TYPES.includes(type.trim()) && !text.startsWith('{') ? parseYaml(text) : JSON.parse(text);
  } catch {
    throw badRequest('the body of the request is not complete JSON or YAML');
  }
};

/** The body as an object. */
export const readFields = (call: Call): Fields => {
  const body = call.body();
  if (isRecord(body)) return body;
  throw badRequest('the request needs an object as its body');
};

export const collectionFor = ({ kind }: Call): string => collectionOf(kind.resource);

/** The object that the call names; NotFound when it is not there. */
export const findEntry = ({ store }: ApiDeps, call: Call): Entry => {
  const name = call.name ?? '';
  const found = store.get(collectionFor(call), keyFor(call.namespace, name));
  if (found === undefined) throw notFound(call.kind.resource, name);
  return found;
};

export const isDryRun = ({ query }: Call): boolean => query.getAll('dryRun').includes('All');

/** In whose name fields are owned. */
export const managerOf = ({ query, headers }: Call): string =>
  query.get('fieldManager') ?? (headers['user-agent'] ?? 'unknown').split('/')[0] ?? 'unknown';
