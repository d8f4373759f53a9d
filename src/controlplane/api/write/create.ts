/** POST to a collection: a new object gets its name, identity and defaults, and is checked whole. */
import { toTimestamp } from '../../../base/clock.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, isDryRun } from '../call.ts';
import type { WriteScene } from '../kinds/served-kind.ts';
import { alreadyExists, badRequest, forbidden, invalid, notFound, required } from '../refusal.ts';
import { checkAddress, checkMetadata, clientMetadata } from './metadata.ts';

const NAMESPACES = '/namespaces';
const NAMESPACE_RESOURCE = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
} as const;
/** As a real API server: 63 characters in all, five of them random. */
const GENERATED_BASE_MAX = 58;
const SUFFIX_LENGTH = 5;
const NAME_TRIES = 8;

export const createObject = (deps: ApiDeps, call: Call, body: Fields): StoredObject => {
  const given = fieldsOf(body['metadata']);
  checkAddress(call, body, given);
  if (given['resourceVersion'] !== undefined && given['resourceVersion'] !== '') {
    throw badRequest('resourceVersion should not be set on objects to be created');
  }
  if (call.kind.resource.scope === 'Namespaced') checkNamespace(deps, call, String(given['name'] ?? ''));
  const name = chooseName(deps, call, given);
  const prepared = prepareNew(deps, call, { body, name });
  const { kind } = call;
  const problems = [...checkMetadata(call, prepared), ...kind.check(prepared, sceneOf(call, undefined))];
  if (problems.length > 0) throw invalid(kind.resource, name, problems);
  const collection = collectionFor(call);
  if (deps.store.get(collection, keyFor(call.namespace, name)) !== undefined) throw alreadyExists(kind.resource, name);
  return isDryRun(call) ? prepared : deps.store.put(collection, prepared).object;
};

const prepareNew = (
  { clock, ids }: ApiDeps,
  call: Call,
  { body, name }: { readonly body: Fields; readonly name: string },
): StoredObject => {
  const { kind, namespace } = call;
  const { apiVersion: _version, kind: _kind, metadata: given, status, ...rest } = body;
  const managed = fieldsOf(given)['managedFields'];
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...clientMetadata(fieldsOf(given)),
    uid: ids.uuid(),
    resourceVersion: '',
    generation: 1,
    creationTimestamp: toTimestamp(clock.now()),
    ...(managed !== undefined && { managedFields: managed }),
  };
  const isStatusKept = kind.statusOnCreate === 'kept' && status !== undefined;
  const object: StoredObject = {
    apiVersion: apiVersionOf(kind.resource),
    kind: kind.resource.kind,
    metadata,
    ...rest,
    ...(isStatusKept && { status }),
  };
  return kind.prepare(object, sceneOf(call, undefined));
};

export const sceneOf = ({ user, query }: Call, old: StoredObject | undefined): WriteScene => {
  const asked = query.get('fieldValidation');
  return { user, old, strictness: asked === 'Strict' || asked === 'Ignore' ? asked : 'Warn' };
};

const checkNamespace = ({ store }: ApiDeps, { kind, namespace = '' }: Call, name: string): void => {
  const found = store.get(NAMESPACES, keyFor(undefined, namespace));
  if (found === undefined) throw notFound(NAMESPACE_RESOURCE, namespace);
  if (found.object.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(kind.resource, name, why);
};

const chooseName = ({ store, ids }: ApiDeps, call: Call, given: Fields): string => {
  const { name, generateName } = given;
  if (typeof name === 'string' && name !== '') return name;
  const { resource } = call.kind;
  if (typeof generateName !== 'string' || generateName === '') {
    throw invalid(resource, '', [required('metadata.name', 'name or generateName is required')]);
  }
  const base = generateName.slice(0, GENERATED_BASE_MAX);
  for (let tries = 0; tries < NAME_TRIES; tries += 1) {
    const chosen = `${base}${ids.suffix(SUFFIX_LENGTH)}`;
    if (store.get(collectionFor(call), keyFor(call.namespace, chosen)) === undefined) return chosen;
  }
  throw alreadyExists(resource, base);
};
