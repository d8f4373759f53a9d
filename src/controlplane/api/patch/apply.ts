/**
 * Server-side apply: what one manager wants, merged into what is there. Fields it wanted before and no longer names go,
 * unless somebody else owns them; a field that somebody else owns and has otherwise is a conflict, unless forced.
 */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { type Fields, parseStoredObject, type StoredObject } from '../../store/object.ts';
import { ApiRefusal } from '../refusal.ts';
import {
  changedSet,
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
  withManagers,
} from './managed-fields.ts';
import { setOwn } from './merge-patch.ts';
import { itemKey, type Shape } from './shape.ts';

export interface ApplyRequest {
  /** Undefined when the apply creates the object. */
  readonly live: StoredObject | undefined;
  readonly applied: Fields;
  /** Who applies; its fields are computed here. */
  readonly by: Omit<Manager, 'fieldsV1' | 'fieldsType' | 'operation'>;
  readonly conflicts: 'refuse' | 'force';
  readonly shape: Shape;
}

export const applyServerSide = ({ live, applied, by, conflicts, shape }: ApplyRequest): StoredObject => {
  const wanted = ownable(setOf(applied, shape));
  const entry: Manager = { ...by, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: wanted };
  if (live === undefined) return withManagers(parseStoredObject(applied), [entry]);
  const before = managersBefore(live, shape);
  const changed = ownable(changedSet(applied, live, shape));
  if (conflicts === 'refuse') refuseConflicts(before, changed, entry);
  const others = takeFrom(before, changed, entry).filter((other) => !isSameManager(other, entry));
  const old = before.find((other) => isSameManager(other, entry));
  const dropped = others.reduce((left, { fieldsV1 }) => subtract(left, fieldsV1), abandonedBy(old, wanted));
  const merged = removeFields(mergeApplied(live, applied, shape), dropped, shape);
  const kept = old !== undefined && isEqualJson(old.fieldsV1, wanted) && !hasFields(changed) ? old : entry;
  return withManagers(parseStoredObject(merged), [...others, kept]);
};

/** What the manager owned and no longer wants. */
const abandonedBy = (old: Manager | undefined, wanted: FieldSet): FieldSet =>
  old === undefined ? NO_FIELDS : subtract(old.fieldsV1, wanted);

const refuseConflicts = (managers: readonly Manager[], disputed: FieldSet, by: Manager): void => {
  const causes = managers
    .filter((other) => !isSameManager(other, by))
    .flatMap(({ manager, apiVersion, fieldsV1 }) => {
      const message = `conflict with "${manager}" using ${apiVersion}`;
      const common = intersect(fieldsV1, disputed);
      const fields = hasFields(common) ? renderPaths(common) : [];
      return fields.map((field) => ({ reason: 'FieldManagerConflict', message, field }));
    });
  if (causes.length === 0) return;
  const listed = causes.map(({ message, field }) => `${message}: ${field}`).join('\n- ');
  throw new ApiRefusal(
    'Conflict',
    `Apply failed with ${causes.length} conflict${causes.length === 1 ? '' : 's'}: ${listed}`,
    { causes },
  );
};

/** Maps merge, lists as their shape says, everything else is replaced. */
const mergeApplied = (live: unknown, applied: unknown, shape: Shape): unknown => {
  if (isRecord(applied)) return isRecord(live) && shape.map === 'granular' ? mergeMaps(live, applied, shape) : applied;
  const { list } = shape;
  if (!Array.isArray(applied) || !Array.isArray(live) || list.merges === 'atomic') return applied;
  if (list.merges === 'set')
    return [...live, ...applied.filter((item) => !live.some((other) => isEqualJson(item, other)))];
  const wanted = new Map(applied.map((item) => [itemKey(item, list), item]));
  const merged = live.map((item) => {
    const other = wanted.get(itemKey(item, list));
    return other === undefined ? item : mergeApplied(item, other, shape.items);
  });
  const present = new Set(live.map((item) => itemKey(item, list)));
  return [...merged, ...applied.filter((item) => !present.has(itemKey(item, list)))];
};

const mergeMaps = (live: Fields, applied: Fields, shape: Shape): Fields => {
  const merged: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(applied)) {
    setOwn(merged, key, mergeApplied(Object.hasOwn(live, key) ? live[key] : undefined, value, shape.field(key)));
  }
  return merged;
};

/** After any other write: whoever changed a field owns it now. Objects that nobody applied to keep no record. */
export const trackUpdate = (
  { old, next }: { readonly old: StoredObject; readonly next: StoredObject },
  by: Omit<Manager, 'fieldsV1' | 'fieldsType' | 'operation'>,
  shape: Shape,
): StoredObject => {
  const managers = parseManagers(old);
  if (managers.length === 0) return next;
  const changed = ownable(changedSet(next, old, shape));
  const removed = ownable(subtract(setOf(old, shape), setOf(next, shape)));
  if (!hasFields(changed) && !hasFields(removed)) return withManagers(next, managers);
  const entry: Manager = { ...by, operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: NO_FIELDS };
  const left = takeFrom(managers, unite(changed, removed), entry);
  const own = left.find((other) => isSameManager(other, entry));
  const fieldsV1 = subtract(unite(own?.fieldsV1 ?? NO_FIELDS, changed), removed);
  const others = left.filter((other) => other !== own);
  return withManagers(next, hasFields(fieldsV1) ? [...others, { ...entry, fieldsV1 }] : others);
};
