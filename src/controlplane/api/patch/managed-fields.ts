/**
 * Who owns which field (`metadata.managedFields`). Every write is recorded from an object's creation on. An object without
 * a record (its client took it away) gets one at its first apply; what was there then belongs to "before-first-apply".
 */
import { isRecord } from '../../../base/json.ts';
import type { StoredObject } from '../../store/object.ts';
import { compare, type FieldSet, hasFields, intersect, NO_FIELDS, subtract, unite, without } from './field-set.ts';
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

/** Who writes, when, and through what. */
export type Writer = Omit<Manager, 'fieldsV1' | 'fieldsType' | 'operation'>;

type ManagerId = Pick<Manager, 'manager' | 'operation' | 'subresource' | 'apiVersion'>;

/** Somebody who applies is the same in all versions of the kind. */
export const isSameManager = (left: ManagerId, right: ManagerId): boolean =>
  left.manager === right.manager &&
  left.operation === right.operation &&
  (left.subresource ?? '') === (right.subresource ?? '') &&
  (left.operation === 'Apply' || left.apiVersion === right.apiVersion);

/** Fields that name the object or belong to the server are nobody's. */
const UNOWNED: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': Object.fromEntries(
    [
      ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields'],
      ...['selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
    ].map((name) => [`f:${name}`, {}]),
  ),
};

/** What can be owned of a set, apart from the fields that the path written to does not reach. */
export const ownable = (set: FieldSet, outOfReach: FieldSet = NO_FIELDS): FieldSet =>
  without(without(dropEmptyMetadata(set), UNOWNED), outOfReach);

/** That there is metadata says nothing. */
const dropEmptyMetadata = (set: FieldSet): FieldSet => {
  const { 'f:metadata': metadata = {}, ...others } = set;
  const { '.': _self, ...fields } = metadata;
  return hasFields(fields) ? { ...others, 'f:metadata': fields } : others;
};

export const parseManagers = ({ metadata }: StoredObject): readonly Manager[] => {
  const { managedFields } = metadata;
  if (!Array.isArray(managedFields)) return [];
  return managedFields.filter((entry): entry is Manager => isRecord(entry) && isRecord(entry['fieldsV1']));
};

/** The owners of an object that is applied to. */
export const managersBefore = (object: StoredObject, shape: Shape): readonly Manager[] => {
  const known = parseManagers(object);
  if (known.length > 0) return known;
  const { apiVersion } = object;
  const fieldsV1 = ownable(compare({}, object, shape).changed);
  const time = object.metadata.creationTimestamp ?? '';
  return [{ manager: 'before-first-apply', operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }];
};

export const withManagers = (object: StoredObject, managers: readonly Manager[]): StoredObject => {
  const { managedFields: _old, ...metadata } = object.metadata;
  const sorted = capUpdates(managers).toSorted(byOperationAndTime);
  return { ...object, metadata: sorted.length === 0 ? metadata : { ...metadata, managedFields: sorted } };
};

const textOrder = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const byOperationAndTime = (left: Manager, right: Manager): number =>
  textOrder(left.operation, right.operation) ||
  textOrder(left.time, right.time) ||
  textOrder(left.manager, right.manager) ||
  textOrder(left.apiVersion, right.apiVersion) ||
  textOrder(left.subresource ?? '', right.subresource ?? '');

const UPDATE_MANAGERS_MAX = 10;
const ANCIENT = 'ancient-changes';

/** Many small updaters would make the record longer than the object: the oldest become one. */
const capUpdates = (managers: readonly Manager[]): readonly Manager[] => {
  const updates = managers.filter(({ operation }) => operation === 'Update');
  if (updates.length <= UPDATE_MANAGERS_MAX) return managers;
  const oldest = updates
    .toSorted(
      (left, right) =>
        Number(right.manager === ANCIENT) - Number(left.manager === ANCIENT) || byOperationAndTime(left, right),
    )
    .slice(0, updates.length - UPDATE_MANAGERS_MAX + 1);
  const [first] = oldest;
  if (first === undefined) return managers;
  const { subresource: _subresource, ...rest } = first;
  const fieldsV1 = oldest.reduce((all, one) => unite(all, one.fieldsV1), NO_FIELDS);
  const latest =
    oldest
      .map(({ time }) => time)
      .toSorted(textOrder)
      .at(-1) ?? '';
  return [...managers.filter((one) => !oldest.includes(one)), { ...rest, manager: ANCIENT, time: latest, fieldsV1 }];
};

interface Disputed {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** Takes what was changed or removed from every manager but one; a manager without fields is gone. */
export const takeFrom = (
  managers: readonly Manager[],
  { changed, removed }: Disputed,
  but: ManagerId,
): readonly Manager[] =>
  managers.flatMap((entry) => {
    if (isSameManager(entry, but)) return [entry];
    const left = subtract(subtract(entry.fieldsV1, intersect(entry.fieldsV1, changed)), removed);
    return hasFields(left) ? [{ ...entry, fieldsV1: left }] : [];
  });
