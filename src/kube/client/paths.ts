/** The paths under which an API server serves a kind and its objects. */
import { FleetError } from '../../base/errors.ts';
import type { KubeObject, ObjectKey } from '../types/meta.ts';
import type { Resource } from '../types/resource.ts';

/** The path of all objects of a kind, in one namespace or in all. A namespace means nothing to a cluster-wide kind. */
export const collectionPath = (resource: Resource<KubeObject>, namespace?: string): string => {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  if (namespace === undefined || resource.scope === 'Cluster') return `${root}/${resource.version}/${resource.plural}`;
  return `${root}/${resource.version}/namespaces/${checkSegment(namespace, 'namespace')}/${resource.plural}`;
};

/** The path to which an object is posted: a namespaced kind needs its namespace. */
export const creationPath = (resource: Resource<KubeObject>, key: ObjectKey): string =>
  collectionPath(resource, namespaceFor(resource, key));

/** The path of one object, or of a subresource of it. */
export const objectPath = (resource: Resource<KubeObject>, key: ObjectKey, subresource?: string): string => {
  const path = `${creationPath(resource, key)}/${checkSegment(key.name, 'name')}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
};

const namespaceFor = (resource: Resource<KubeObject>, key: ObjectKey): string | undefined => {
  if (resource.scope === 'Cluster') return undefined;
  if (key.namespace !== undefined) return key.namespace;
  throw new FleetError('invalid', {
    code: 'NamespaceMissing',
    message: `${resource.kind} "${key.name}" has no namespace`,
    hint: 'Name the namespace; this kind is namespaced.',
  });
};

/** Kubernetes' own rule for a path segment, plus length: nothing a name holds may change the path around it. */
const checkSegment = (segment: string, what: string): string => {
  const unfit =
    segment === '' || segment === '.' || segment === '..' || segment.length > 253 || /[/%?#\s\\]/.test(segment);
  if (!unfit && !hasControlCharacter(segment)) return encodeURIComponent(segment);
  throw new FleetError('invalid', {
    code: 'BadName',
    message: `${JSON.stringify(segment.slice(0, 80))} cannot be a Kubernetes ${what}`,
    hint: 'A name has 1 to 253 characters, no slash, percent sign, question mark, hash or white space, and is not . or ..',
  });
};

const hasControlCharacter = (text: string): boolean => [...text].some((char) => char < ' ' || char === '\u007f');

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The path with those parameters that are set. */
export const withQuery = (path: string, query: Query): string => {
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + text;
};
