/** One request to a kind, taken apart: what every verb needs to know, and the things of the server it may use. */
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import { isRecord } from '../../base/json.ts';
import type { User } from '../auth/user.ts';
import type { Fields } from '../store/object.ts';
import { type Entry, keyFor, type Store } from '../store/store.ts';
import { missingBody, type ReadBody, readBody } from './decode/read-json.ts';
import type { Gate } from './gate.ts';
import type { ApiRequest } from './http.ts';
import type { Registry } from './kinds/registry.ts';
import { collectionOfKind, type ServedKind, type Subresource } from './kinds/served-kind.ts';
import type { OpenNodeLog } from './node-log.ts';
import { badRequest, notFound } from './refusal.ts';

export interface ApiDeps {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly gate: Gate;
  readonly openNodeLog: OpenNodeLog | undefined;
  readonly bookmarkEveryMs: number;
  /** Ends every open watch; each watch adds itself. */
  readonly watches: Set<() => void>;
}

export interface Call {
  readonly method: string;
  readonly kind: ServedKind;
  /** Undefined for cluster-wide kinds, and for lists over all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: Subresource | undefined;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly user: User;
  /** The body, parsed; undefined when there is none. */
  readonly body: () => ReadBody | undefined;
  /** Told to the client with the answer, whatever it is. */
  warn(text: string): void;
}

/** What a path under `/api` or `/apis` names. */
export interface Target {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The old way to ask for a watch: the word before the resource. */
  readonly isWatch: boolean;
}

const NAMESPACE_SUBRESOURCES = ['status', 'finalize'];

/**
 * Undefined when the path names no resource. Segments are read as authorization reads them (auth/attempt.ts), and a
 * segment that hides a slash names nothing: otherwise one thing would be allowed and another one done.
 */
export const parseTarget = (path: string): Target | undefined => {
  // In front of the first slash a real server has nothing, and HTTP allows a star.
  if (!path.startsWith('/')) return undefined;
  const [root, ...encoded] = path.replace(/\/$/, '').slice(1).split('/');
  const segments = encoded.map(decodeSegment);
  if (segments.some((segment) => segment === '' || segment.includes('/'))) return undefined;
  const [group, version, ...rest] = root === 'api' ? ['', ...segments] : root === 'apis' ? segments : [];
  if (group === undefined || version === undefined) return undefined;
  const isWatch = rest[0] === 'watch' && rest.length > 1;
  const named = isWatch ? rest.slice(1) : rest;
  const [first, second, third] = named;
  const isInside = first === 'namespaces' && third !== undefined && !NAMESPACE_SUBRESOURCES.includes(third);
  const namespace = isInside ? second : undefined;
  const [plural, name, subresource, ...more] = isInside ? named.slice(2) : named;
  if (plural === undefined || more.length > 0) return undefined;
  return { group, version, plural, namespace, name, subresource, isWatch };
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`${JSON.stringify(segment)} is not a valid path segment`);
  }
};

export interface CallScene {
  readonly registry: Registry;
  warn(text: string): void;
}

/** The call that the target means, or undefined when no kind is served there. */
export const parseCall = (request: ApiRequest, target: Target, { registry, warn }: CallScene): Call | undefined => {
  const kind = registry.find(target);
  if (kind === undefined) return undefined;
  const { namespace, name } = target;
  const isClusterWide = kind.resource.scope === 'Cluster';
  if (isClusterWide ? namespace !== undefined : name !== undefined && namespace === undefined) return undefined;
  const subresource = kind.subresources.find((served) => served === target.subresource);
  if (target.subresource !== undefined && subresource === undefined) return undefined;
  for (const segment of [namespace, name]) if (segment !== undefined) checkSegment(segment);
  const query = new URLSearchParams(request.path.split(/\?(.*)/s)[1] ?? '');
  if (target.isWatch) query.set('watch', 'true');
  const { method, headers, user } = request;
  let read: { readonly body: ReadBody | undefined } | undefined;
  const body = (): ReadBody | undefined => {
    read ??= { body: readBody(request, kind.resource.kind) };
    return read.body;
  };
  return { method, kind, namespace, name, subresource, query, headers, user, body, warn };
};

const checkSegment = (segment: string): void => {
  if (segment === '.' || segment === '..') {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(segment)}: may not be '${segment}'`);
  }
  if (segment.includes('%'))
    throw badRequest(`Name parameter invalid: ${JSON.stringify(segment)}: may not contain '%'`);
};

/** The body as an object, as it was sent. */
export const readFields = (call: Call): Fields => {
  const body = call.body();
  if (body === undefined) throw missingBody(call.kind.resource.kind);
  if (isRecord(body.value)) return body.value;
  throw badRequest('the request needs an object as its body');
};

export const collectionFor = ({ kind }: Call): string => collectionOfKind(kind);

/** The object that the call names; NotFound when it is not there. */
export const findEntry = ({ store }: ApiDeps, call: Call): Entry => {
  const name = call.name ?? '';
  const found = store.get(collectionFor(call), keyFor(call.namespace, name));
  if (found === undefined) throw notFound(call.kind.resource, name);
  return found;
};
