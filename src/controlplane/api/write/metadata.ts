/** Metadata: what a client may say, what the server decides, and what is wrong with it. */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import type { Fields, StoredMeta, StoredObject } from '../../store/object.ts';
import type { Call } from '../call.ts';
import { badRequest, conflict, invalidValue, outdated, type Problem } from '../refusal.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** Kinds whose names may hold more than a DNS name: roles are called `system:…`. */
const FREE_NAME_GROUPS = ['rbac.authorization.k8s.io'];

export const checkMetadata = ({ kind }: Call, { metadata }: StoredObject): readonly Problem[] => {
  const { name, labels = {} } = metadata;
  const problems: Problem[] = [];
  const { group, kind: kindName } = kind.resource;
  const isFree = FREE_NAME_GROUPS.includes(group) ? !/[/%]|^\.\.?$/.test(name) : nameFits(name, kindName);
  if (!isFree) {
    problems.push(
      invalidValue(
        'metadata.name',
        name,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      ),
    );
  }
  for (const [key, value] of Object.entries(labels)) {
    if (!QUALIFIED.test(key)) problems.push(invalidValue('metadata.labels', key, 'name part must be a qualified name'));
    if (typeof value !== 'string' || value.length > 63 || !LABEL_VALUE.test(value)) {
      problems.push(
        invalidValue(
          'metadata.labels',
          value,
          'a valid label must be at most 63 alphanumeric characters, "-", "_" or "."',
        ),
      );
    }
  }
  for (const finalizer of metadata.finalizers ?? []) {
    if (!QUALIFIED.test(finalizer))
      problems.push(invalidValue('metadata.finalizers', finalizer, 'name is not a qualified name'));
  }
  return problems;
};

const nameFits = (name: string, kind: string): boolean =>
  kind === 'Namespace' ? name.length <= 63 && LABEL_NAME.test(name) : name.length <= 253 && SUBDOMAIN.test(name);

/** Fields of metadata that clients write; everything else in it is the server's. */
const CLIENT_FIELDS = ['generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** What a client said in metadata, without empty parts: an empty map is the same as none. */
export const clientMetadata = (given: Fields): Fields =>
  Object.fromEntries(
    CLIENT_FIELDS.flatMap((name) => {
      const value = given[name];
      checkShape(name, value);
      const isEmpty =
        value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
      return isEmpty ? [] : [[name, value]];
    }),
  );

const checkShape = (name: (typeof CLIENT_FIELDS)[number], value: unknown): void => {
  if (value === undefined || value === null) return;
  const isList = name === 'finalizers' || name === 'ownerReferences';
  const fits = isList ? Array.isArray(value) : name === 'generateName' ? typeof value === 'string' : isRecord(value);
  if (!fits) throw badRequest(`metadata.${name} has the wrong type`);
};

/** The body must be about the path it was sent to. */
export const checkAddress = (call: Call, body: Fields, metadata: Fields): void => {
  const { group, version, kind } = call.kind.resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  if (body['apiVersion'] !== undefined && body['apiVersion'] !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(body['apiVersion'])}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (body['kind'] !== undefined && body['kind'] !== kind) {
    throw badRequest(`the kind in the data (${String(body['kind'])}) does not match the expected kind (${kind})`);
  }
  const { namespace, name } = metadata;
  if (namespace !== undefined && namespace !== '' && namespace !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (call.name !== undefined && name !== undefined && name !== call.name) {
    throw badRequest('the name of the object does not match the name on the URL');
  }
};

/** A version or uid in an update is a condition. */
export const checkConditions = (call: Call, old: StoredObject, given: Fields): void => {
  const { resource } = call.kind;
  const { resourceVersion: version, uid } = given;
  if (version !== undefined && version !== '' && version !== old.metadata.resourceVersion) {
    throw outdated(resource, old.metadata.name);
  }
  if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(resource, old.metadata.name, why);
  }
};

/** While an object is being deleted it can only lose finalizers. */
export const checkFinalizers = (old: StoredMeta, next: StoredMeta): readonly Problem[] => {
  if (old.deletionTimestamp === undefined) return [];
  const added = (next.finalizers ?? []).filter((finalizer) => !(old.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return [];
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  return [{ field: 'metadata.finalizers', reason: 'FieldValueForbidden', message }];
};

/** Whether anything beside metadata and status differs. */
export const isSpecChanged = (old: StoredObject, next: StoredObject): boolean => {
  const { metadata: _a, status: _b, ...before } = old;
  const { metadata: _c, status: _d, ...after } = next;
  return !isEqualJson(before, after);
};
