/**
 * What somebody wants to do, as authorization sees it: a verb on a resource, or on a path that is none. Read from the
 * request line alone, by the rules of a real API server, so that unknown kinds are refused like known ones.
 */
import { rememberLast } from '../../base/remember.ts';
import type { ApiRequest } from '../api/http.ts';
import type { User } from './user.ts';

/** One part of a field selector, `=` only: other operators restrict nothing that an authorizer looks at. */
export interface FieldEquals {
  readonly field: string;
  readonly value: string;
}

export interface ResourceAttempt {
  readonly on: 'resource';
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Empty for cluster-wide kinds and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty where the request names no object. */
  readonly name: string;
  readonly fields: readonly FieldEquals[];
}

export interface PathAttempt {
  readonly on: 'path';
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

export type Attempt = ResourceAttempt | PathAttempt;

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Words before the resource that are verbs of their own. */
const PATH_VERBS = ['proxy', 'watch'];
const NAMESPACE_SUBRESOURCES = ['status', 'finalize'];

export const parseAttempt = ({ method, path, user }: Pick<ApiRequest, 'method' | 'path' | 'user'>): Attempt => ({
  ...parseLine(`${method} ${path}`),
  user,
});

type Wanted = Omit<ResourceAttempt, 'user'> | Omit<PathAttempt, 'user'>;

/** The same few lines come again and again, and each is read by everybody who judges or tells of the request. */
const LINES_REMEMBERED = 256;

const parseLine = rememberLast(LINES_REMEMBERED, (line: string): Wanted => {
  const [, method = '', rawPath = '', query = ''] = /^(\S*) ([^?]*)\??(.*)$/s.exec(line) ?? [];
  const onPath: Wanted = { on: 'path', verb: method.toLowerCase(), path: rawPath };
  const segments = rawPath.split('/').filter((segment) => segment !== '');
  const [prefix, ...rest] = segments.map(decodeSegment);
  if (prefix !== 'api' && prefix !== 'apis') return onPath;
  const [group, version, ...target] = prefix === 'api' ? ['', ...rest] : rest;
  if (group === undefined || version === undefined || target.length === 0) return onPath;
  return toWanted({ group, version, method, target, query: new URLSearchParams(query) });
});

/** A segment that cannot be decoded is served by nobody; it is judged as it stands. */
const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

interface Parts {
  readonly group: string;
  readonly version: string;
  readonly method: string;
  readonly target: readonly string[];
  readonly query: URLSearchParams;
}

const toWanted = ({ group, version, method, target, query }: Parts): Wanted => {
  const [first = ''] = target;
  const isPathVerb = PATH_VERBS.includes(first);
  const { namespace, parts } = splitNamespace(isPathVerb ? target.slice(1) : target);
  const [resource = '', namedInPath = '', subresource = ''] = parts;
  const verb = isPathVerb ? first : (VERBS[method] ?? '');
  const isCollection = namedInPath === '';
  const fields = isCollection ? readFieldEquals(query) : [];
  const named = namedInPath === '' && verb === 'get' ? nameIn(fields) : namedInPath;
  return {
    ...{ on: 'resource', group, version, resource, subresource, namespace, fields },
    name: named,
    verb: isPathVerb ? first : onCollection(verb, isCollection ? query : undefined),
  };
};

const splitNamespace = (target: readonly string[]) => {
  const [first, namespace = '', third] = target;
  if (first !== 'namespaces') return { namespace: '', parts: target };
  const isInside = third !== undefined && !NAMESPACE_SUBRESOURCES.includes(third);
  return { namespace, parts: isInside ? target.slice(2) : target };
};

/** Without a query: on one object, where the method alone is the verb. */
const onCollection = (verb: string, query: URLSearchParams | undefined): string => {
  if (query === undefined) return verb;
  if (verb === 'get') return isWatch(query) ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
};

const isWatch = (query: URLSearchParams): boolean => {
  const value = query.get('watch');
  return value !== null && !['false', '0'].includes(value.toLowerCase());
};

const readFieldEquals = (query: URLSearchParams): readonly FieldEquals[] =>
  parseFieldEquals(query.get('fieldSelector') ?? '');

/** The parts of a field selector that want one value. */
export const parseFieldEquals = (selector: string): readonly FieldEquals[] =>
  selector.split(',').flatMap((part) => {
    const [, field, value] = /^\s*([^=!]+?)\s*==?([^=]*)$/.exec(part) ?? [];
    return field === undefined || value === undefined ? [] : [{ field, value: value.trim() }];
  });

const nameIn = (fields: readonly FieldEquals[]): string =>
  fields.find(({ field, value }) => field === 'metadata.name' && !/[/%]|^\.\.?$/.test(value))?.value ?? '';
