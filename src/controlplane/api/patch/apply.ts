/**
 * Server-side apply: what one manager wants, merged into what is there. Fields it wanted before and no longer names go,
 * unless somebody else owns them; a field that somebody else owns and has otherwise is a conflict, unless forced.
 */
import { isEqualJson } from '../../../base/json.ts';
import { type Fields, parseStoredObject, type StoredObject } from '../../store/object.ts';
import { ApiRefusal } from '../refusal.ts';
import {
  compare,
  type FieldSet,
  hasFields,
  intersect,
  NO_FIELDS,
  removeFields,
  renderPaths,
  setOf,
  subtract,
  unite,
} from './field-set.ts';
import {
  isSameManager,
  type Manager,
  managersBefore,
  ownable,
  parseManagers,
  takeFrom,
  type Writer,
  withManagers,
} from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import type { Shape } from './shape.ts';

export interface ApplyRequest {
  /** Undefined when the apply creates the object. */
  readonly live: StoredObject | undefined;
  readonly applied: Fields;
  readonly by: Writer;
  readonly conflicts: 'refuse' | 'force';
  readonly shape: Shape;
  /** Fields that the path applied to does not reach. */
  readonly outOfReach: FieldSet;
}

export const applyServerSide = ({ live, applied, by, conflicts, shape, outOfReach }: ApplyRequest): StoredObject => {
  const wanted = ownable(setOf(applied, shape), outOfReach);
  const entry: Manager = { ...by, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: wanted };
  if (live === undefined) return withManagers(parseStoredObject(applied), [entry]);
  const before = managersBefore(live, shape);
  const old = before.find((other) => isSameManager(other, entry));
  const others = before.filter((other) => other !== old);
  const keep = others.reduce((all, { fieldsV1 }) => unite(all, fieldsV1), wanted);
  const remove = subtract(old?.fieldsV1 ?? NO_FIELDS, keep);
  const merged = parseStoredObject(removeFields(mergeApplied(live, applied, shape), { remove, keep }, shape));
  const comparison = compare(live, merged, shape);
  const changed = ownable(comparison.changed, outOfReach);
  if (conflicts === 'refuse') refuseConflicts(others, changed);
  const left = takeFrom(others, { changed, removed: ownable(comparison.removed, outOfReach) }, entry);
  const isSame = old !== undefined && isEqualJson(old.fieldsV1, wanted) && old.apiVersion === entry.apiVersion;
  return withManagers(merged, hasFields(wanted) ? [...left, isSame ? old : entry] : left);
};

const refuseConflicts = (others: readonly Manager[], changed: FieldSet): void => {
  const causes = others.flatMap((other) => {
    const message = `conflict with ${renderManager(other)}`;
    const common = intersect(other.fieldsV1, changed);
    const fields = hasFields(common) ? renderPaths(common) : [];
    return fields.map((field) => ({ reason: 'FieldManagerConflict', message, field, by: other }));
  });
  if (causes.length === 0) return;
  throw new ApiRefusal('Conflict', renderConflicts(causes), {
    causes: causes.map(({ reason, message, field }) => ({ reason, message, field })),
  });
};

/** Applying managers are named alone; who updated is named with the version and path used. */
const renderManager = ({ manager, operation, apiVersion, subresource }: Manager): string => {
  const quoted = JSON.stringify(manager);
  const through = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Apply' ? `${quoted}${through}` : `${quoted}${through} using ${apiVersion}`;
};

interface ConflictCause {
  readonly message: string;
  readonly field: string;
  readonly by: Manager;
}

/** One conflict on one line; several grouped by who owns the fields. */
const renderConflicts = (causes: readonly ConflictCause[]): string => {
  const [first] = causes;
  if (causes.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: ${first.message}: ${first.field}`;
  }
  const byManager = Map.groupBy(causes, ({ message }) => message);
  const groups = [...byManager].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const parts = groups.map(([message, list]) => [
    `${message.replace('conflict with', 'conflicts with')}:`,
    ...list.map(({ field }) => `- ${field}`),
  ]);
  return [`Apply failed with ${causes.length} conflicts: ${parts.flat().join('\n')}`].join('');
};

export interface Tracked {
  /** Undefined when the object is being created. */
  readonly old: StoredObject | undefined;
  readonly next: StoredObject;
  readonly outOfReach: FieldSet;
}

/** After any other write: whoever changed a field owns it now. */
export const trackUpdate = ({ old, next, outOfReach }: Tracked, by: Writer, shape: Shape): StoredObject => {
  const managers = old === undefined ? [] : parseManagers(old);
  if (old !== undefined && managers.length === 0) return withManagers(next, []);
  const comparison = compare(old ?? {}, next, shape);
  const changed = ownable(comparison.changed, outOfReach);
  const removed = ownable(comparison.removed, outOfReach);
  if (!hasFields(changed) && !hasFields(removed)) return withManagers(next, managers);
  const entry: Manager = { ...by, operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: NO_FIELDS };
  const left = takeFrom(managers, { changed, removed }, entry);
  const own = left.find((other) => isSameManager(other, entry));
  const fieldsV1 = unite(subtract(own?.fieldsV1 ?? NO_FIELDS, removed), changed);
  const others = left.filter((other) => other !== own);
  return withManagers(next, hasFields(fieldsV1) ? [...others, { ...entry, fieldsV1 }] : others);
};
