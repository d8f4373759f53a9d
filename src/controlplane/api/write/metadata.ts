/** Metadata: what a client may say, what the server decides, and what is wrong with it. */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredMeta, type StoredObject } from '../../store/object.ts';
import type { Call } from '../call.ts';
import {
  checkName,
  label,
  labelValue,
  type NameForm,
  pathSegment,
  qualifiedName,
  subdomain,
} from '../kinds/checks/names.ts';
import { CRD_FINALIZER } from '../kinds/crd-kind.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import {
  badRequest,
  conflict,
  forbiddenField,
  invalidValue,
  outdated,
  type Problem,
  required,
  tooLong,
} from '../refusal.ts';

/** Kinds whose names are not DNS subdomains. */
const nameFormOf = ({ resource: { group, kind } }: ServedKind): NameForm => {
  if (group === 'rbac.authorization.k8s.io') return pathSegment;
  return group === '' && kind === 'Namespace' ? label : subdomain;
};

const ANNOTATIONS_BYTES_MAX = 256 * 1024;

export const checkMetadata = ({ kind }: Call, { metadata }: StoredObject): readonly Problem[] => {
  const form = nameFormOf(kind);
  const { generateName } = metadata;
  return [
    ...(typeof generateName === 'string'
      ? form(generateName.replace(/-$/, 'a')).map((why) => invalidValue('metadata.generateName', generateName, why))
      : []),
    ...checkName('metadata.name', metadata.name, form),
    ...checkLabels(metadata.labels ?? {}),
    ...checkAnnotations(fieldsOf(metadata['annotations'])),
    ...checkOwners(metadata['ownerReferences']),
    ...(metadata.finalizers ?? []).flatMap((finalizer, at) =>
      checkFinalizerName(finalizer, `metadata.finalizers[${at}]`, kind),
    ),
  ];
};

const checkLabels = (labels: Readonly<Record<string, unknown>>): readonly Problem[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...checkName('metadata.labels', key, qualifiedName),
    ...labelValue(String(value)).map((why) => invalidValue('metadata.labels', value, why)),
  ]);

const checkAnnotations = (annotations: Fields): readonly Problem[] => {
  const sizeBytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return [
    ...Object.keys(annotations).flatMap((key) =>
      qualifiedName(key.toLowerCase()).map((why) => invalidValue('metadata.annotations', key, why)),
    ),
    ...(sizeBytes > ANNOTATIONS_BYTES_MAX ? [tooLong('metadata.annotations', ANNOTATIONS_BYTES_MAX)] : []),
  ];
};

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes', CRD_FINALIZER];

/** Kubernetes' own kinds ask for more than others do; those of Cluster API are not among them, although they are built in here. */
const isOfKubernetes = ({ origin, schema }: ServedKind): boolean =>
  origin === 'builtin' && schema.typeName !== undefined;

const checkFinalizerName = (finalizer: string, field: string, kind: ServedKind): readonly Problem[] => {
  const problems = checkName(field, finalizer, qualifiedName);
  if (problems.length > 0 || !isOfKubernetes(kind)) return problems;
  if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return problems;
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return [invalidValue(field, finalizer, why)];
};

const checkOwners = (owners: unknown): readonly Problem[] => {
  const list = Array.isArray(owners) ? owners.filter(isRecord) : [];
  const field = 'metadata.ownerReferences';
  const missing = list.flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((name) => owner[name] === undefined || owner[name] === '')
      .map((name) => invalidValue(`${field}.${name}`, owner[name] ?? '', 'must not be empty')),
  );
  const controllers = list.filter((owner) => owner['controller'] === true);
  const [first, second] = controllers;
  if (first === undefined || second === undefined) return missing;
  const why = `Only one reference can have Controller set to true. Found "true" in references for ${String(first['kind'])}/${String(first['name'])} and ${String(second['kind'])}/${String(second['name'])}`;
  return [...missing, invalidValue(field, list, why)];
};

/** Fields of metadata that clients write; everything else in it is the server's. */
const CLIENT_FIELDS = ['generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** What a client said in metadata, without empty parts: an empty map is the same as none. */
export const clientMetadata = (given: Fields): Fields =>
  Object.fromEntries(
    CLIENT_FIELDS.flatMap((name) => {
      const value = given[name];
      const isEmpty =
        value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
      return isEmpty || value === '' ? [] : [[name, value]];
    }),
  );

/** The body must be about the path it was sent to. */
export const checkAddress = (call: Call, metadata: Fields): void => {
  const { namespace, name } = metadata;
  if (namespace !== undefined && namespace !== '' && namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (call.name !== undefined && name !== undefined && name !== call.name) {
    throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${call.name})`);
  }
};

/** A version or uid in an update is a condition. */
export const checkConditions = (call: Call, old: StoredObject, given: Fields): void => {
  const { resource } = call.kind;
  const { resourceVersion: version, uid } = given;
  if (version !== undefined && version !== '' && !/^\d+$/.test(String(version))) {
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(version)}`);
  }
  if (version !== undefined && version !== '' && version !== old.metadata.resourceVersion) {
    throw outdated(resource, old.metadata.name);
  }
  if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(resource, old.metadata.name, why);
  }
};

const FIXED = ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Times that the server sets can be left out of an update, not changed by it. */
export const checkFixed = (old: StoredMeta, given: Fields): readonly Problem[] =>
  FIXED.filter((name) => given[name] !== undefined && given[name] !== null && given[name] !== old[name]).map((name) =>
    invalidValue(`metadata.${name}`, given[name], 'field is immutable'),
  );

/** While an object is being deleted it can only lose finalizers. */
export const checkFinalizers = (old: StoredMeta, next: StoredMeta): readonly Problem[] => {
  if (old.deletionTimestamp === undefined) return [];
  const added = (next.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return [];
  const listed = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`;
  return [forbiddenField('metadata.finalizers', why)];
};

export const missingName = (): Problem => required('metadata.name', 'name or generateName is required');

/** Whether anything beside metadata and status differs. */
export const isSpecChanged = (old: StoredObject, next: StoredObject): boolean => {
  const { metadata: _a, status: _b, apiVersion: _v, ...before } = old;
  const { metadata: _c, status: _d, apiVersion: _w, ...after } = next;
  return !isEqualJson(before, after);
};
