/** POST to a collection: a new object gets its name, identity and defaults, and is checked whole. */
import { toTimestamp } from '../../../base/clock.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { keyFor } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor } from '../call.ts';
import { nameInStore, type WriteScene } from '../kinds/served-kind.ts';
import { isDryRun } from '../options.ts';
import { trackUpdate } from '../patch/apply.ts';
import { ApiRefusal, alreadyExists, forbidden, invalid, notFound } from '../refusal.ts';
import { checkAddress, checkMetadata, clientMetadata, missingName } from './metadata.ts';
import { outOfReachOf, writerOf } from './ownership.ts';
import { writeOf } from './write-of.ts';

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

/** An apply that creates brings its own record of who owns what. */
export type Ownership = 'track' | 'given';

export const createObject = (
  deps: ApiDeps,
  call: Call,
  { fields, ownership }: { readonly fields: Fields; readonly ownership: Ownership },
): StoredObject => {
  const { kind } = call;
  const given = fieldsOf(fields['metadata']);
  checkAddress(call, given);
  if (given['resourceVersion'] !== undefined && given['resourceVersion'] !== '') {
    throw new ApiRefusal('Unknown', 'resourceVersion should not be set on objects to be created');
  }
  const name = chooseName(deps, call, given);
  if (kind.resource.scope === 'Namespaced') checkNamespace(deps, call, name);
  const scene = sceneOf(deps, call, undefined);
  const made = kind.fillDefaults(makeObject(deps, call, { fields, name }));
  const owned =
    ownership === 'given'
      ? made
      : trackUpdate({ old: undefined, next: made, outOfReach: outOfReachOf(call) }, writerOf(deps, call), kind.shape);
  const write = writeOf(call, { operation: 'CREATE', name, object: owned, old: undefined });
  const prepared = kind.prepare(deps.gate.admit(write, owned), scene);
  const problems = [...checkMetadata(call, prepared), ...kind.check(prepared, scene)];
  if (problems.length > 0) throw invalid(nameInStore(kind), name, problems);
  deps.gate.validate({ ...write, object: prepared });
  const collection = collectionFor(call);
  if (deps.store.get(collection, keyFor(call.namespace, name)) !== undefined) throw alreadyExists(kind.resource, name);
  return isDryRun(call) ? prepared : deps.store.put(collection, prepared).object;
};

const makeObject = (
  { clock, ids }: ApiDeps,
  call: Call,
  { fields, name }: { readonly fields: Fields; readonly name: string },
): StoredObject => {
  const { kind, namespace } = call;
  const { apiVersion: _version, kind: _kind, metadata: given, status, ...rest } = fields;
  const managed = fieldsOf(given)['managedFields'];
  const metadata = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...clientMetadata(fieldsOf(given)),
    uid: ids.uuid(),
    ...(kind.generation === 'counted' && { generation: 1 }),
    creationTimestamp: toTimestamp(clock.now()),
    ...(managed !== undefined && { managedFields: managed }),
  };
  const isStatusKept = kind.statusOnCreate === 'kept' && status !== undefined;
  return {
    apiVersion: apiVersionOf(kind.resource),
    kind: kind.resource.kind,
    metadata,
    ...rest,
    ...(isStatusKept ? { status } : kind.schema.alwaysThere?.includes('status') && { status: {} }),
  };
};

export const sceneOf = (
  { clock }: ApiDeps,
  { user, subresource }: Call,
  old: StoredObject | undefined,
): WriteScene => ({
  user,
  old,
  subresource,
  time: toTimestamp(clock.now()),
});

const checkNamespace = ({ store }: ApiDeps, { kind, namespace = '' }: Call, name: string): void => {
  const found = store.get(NAMESPACES, keyFor(undefined, namespace));
  if (found === undefined) throw notFound(NAMESPACE_RESOURCE, namespace);
  if (found.object.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(kind.resource, name, why, {
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
};

const chooseName = ({ store, ids }: ApiDeps, call: Call, given: Fields): string => {
  const { name, generateName } = given;
  if (typeof name === 'string' && name !== '') return name;
  const { resource } = call.kind;
  if (typeof generateName !== 'string' || generateName === '') throw invalid(resource, '', [missingName()]);
  const base = generateName.slice(0, GENERATED_BASE_MAX);
  for (let tries = 0; tries < NAME_TRIES; tries += 1) {
    const chosen = `${base}${ids.suffix(SUFFIX_LENGTH)}`;
    if (store.get(collectionFor(call), keyFor(call.namespace, chosen)) === undefined) return chosen;
  }
  throw alreadyExists(resource, base);
};
