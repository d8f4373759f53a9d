/**
 * Who owns which field (`metadata.managedFields`). Written down only from the first server-side apply to an object on:
 * until then everything belongs to "before-first-apply", which is what a real API server assumes of objects without it.
 */
import { isRecord } from '../../../base/json.ts';
import type { StoredObject } from '../../store/object.ts';
import { type FieldSet, hasFields, setOf, subtract } from './field-set.ts';
import type { Shape } from './shape.ts';

export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldSet;
  readonly subresource?: string;
}

export type ManagerId = Pick<Manager, 'manager' | 'operation' | 'subresource'>;

export const isSameManager = (left: ManagerId, right: ManagerId): boolean =>
  left.manager === right.manager &&
  left.operation === right.operation &&
  (left.subresource ?? '') === (right.subresource ?? '');

/** Fields that name the object or belong to the server are nobody's. */
const UNOWNED: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': Object.fromEntries(
    [
      ...['name', 'namespace', 'generateName', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
      ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields', 'selfLink'],
    ].map((name) => [`f:${name}`, {}]),
  ),
};

export const ownable = (set: FieldSet): FieldSet => {
  const { 'f:metadata': metadata, ...others } = subtract(set, UNOWNED);
  return metadata === undefined || !hasFields(metadata) ? others : { ...others, 'f:metadata': metadata };
};

export const parseManagers = ({ metadata }: StoredObject): readonly Manager[] => {
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields)) return [];
  return managedFields.filter((entry): entry is Manager => isRecord(entry) && isRecord(entry['fieldsV1']));
};

/** The owners of an object that was never applied to. */
export const managersBefore = (object: StoredObject, shape: Shape): readonly Manager[] => {
  const known = parseManagers(object);
  if (known.length > 0) return known;
  const fieldsV1 = ownable(setOf(object, shape));
  const time = object.metadata.creationTimestamp ?? '';
  const { apiVersion } = object;
  return [{ manager: 'before-first-apply', operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }];
};

export const withManagers = (object: StoredObject, managers: readonly Manager[]): StoredObject => {
  const { managedFields: _old, ...metadata } = object.metadata;
  return { ...object, metadata: managers.length === 0 ? metadata : { ...metadata, managedFields: managers } };
};

/** Takes fields from every manager but one; a manager without fields is gone. */
export const takeFrom = (managers: readonly Manager[], fields: FieldSet, but: ManagerId): readonly Manager[] =>
  managers.flatMap((entry) => {
    if (isSameManager(entry, but)) return [entry];
    const left = subtract(entry.fieldsV1, fields);
    return hasFields(left) ? [{ ...entry, fieldsV1: left }] : [];
  });
