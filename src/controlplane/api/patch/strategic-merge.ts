/**
 * Strategic merge patches, which kubectl sends for built-in kinds: a merge patch whose lists merge by key, with orders
 * (`$patch`, `$deleteFromPrimitiveList`, `$setElementOrder`, `$retainKeys`) among the fields.
 */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import { badRequest } from '../refusal.ts';
import { setOwn } from './merge-patch.ts';
import type { Shape } from './shape.ts';

const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';

export const applyStrategicMerge = (target: unknown, patch: unknown, shape: Shape): Fields => {
  if (!isRecord(patch)) throw badRequest('a strategic merge patch must be an object');
  return mergeMap(isRecord(target) ? target : {}, patch, shape);
};

const mergeMap = (target: Fields, patch: Fields, shape: Shape): Fields => {
  const { $patch: order, $retainKeys: retained, ...rest } = patch;
  if (order === 'replace') return withoutNulls(rest);
  if (order === 'delete') return {};
  if (order !== undefined && order !== 'merge') throw badRequest(`unknown $patch order ${JSON.stringify(order)}`);
  const merged: Record<string, unknown> = Array.isArray(retained) ? pick(target, retained) : { ...target };
  for (const [key, value] of Object.entries(rest)) {
    if (!key.startsWith('$')) mergeField(merged, { key, value }, shape.field(key));
  }
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith(DELETE_FROM)) deleteItems(merged, key.slice(DELETE_FROM.length), value);
  }
  for (const [key, value] of Object.entries(rest)) {
    const field = key.slice(SET_ORDER.length);
    if (key.startsWith(SET_ORDER)) orderItems(merged, { field, order: value }, shape.field(field));
  }
  return merged;
};

const pick = (target: Fields, keys: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));

/** A value that is set, not merged, must not keep the nulls that mean "remove". */
const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const mergeField = (
  merged: Record<string, unknown>,
  { key, value }: { readonly key: string; readonly value: unknown },
  shape: Shape,
): void => {
  const old = Object.hasOwn(merged, key) ? merged[key] : undefined;
  if (value === null) delete merged[key];
  else if (isRecord(value)) setOwn(merged, key, mergeMap(isRecord(old) ? old : {}, value, shape));
  else if (Array.isArray(value)) setOwn(merged, key, mergeList(Array.isArray(old) ? old : [], value, shape));
  else setOwn(merged, key, value);
};

const mergeList = (old: readonly unknown[], patch: readonly unknown[], shape: Shape): readonly unknown[] => {
  const { list } = shape;
  if (list.merges === 'set') return interleave({ old, merged: unite(old, patch), patch }, (item) => item);
  const key = shape.mergeKey;
  if (key === undefined) return patch;
  if (patch.some((item) => isRecord(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !(isRecord(item) && item['$patch'] === 'replace'));
  }
  let merged = [...old];
  for (const item of patch) {
    if (!isRecord(item)) throw badRequest(`an element of a list that merges by ${key} is no object`);
    const at = merged.findIndex((other) => isRecord(other) && isEqualJson(other[key], item[key]));
    if (item['$patch'] === 'delete') merged = merged.filter((_other, index) => index !== at);
    else if (at < 0) merged.push(mergeMap({}, item, shape.items));
    else merged[at] = mergeMap(isRecord(merged[at]) ? merged[at] : {}, item, shape.items);
  }
  return interleave({ old, merged, patch }, (item) => (isRecord(item) ? item[key] : item));
};

const unite = (old: readonly unknown[], patch: readonly unknown[]): readonly unknown[] => [
  ...old,
  ...patch.filter((item) => !old.some((other) => isEqualJson(item, other))),
];

interface Merging {
  readonly old: readonly unknown[];
  readonly merged: readonly unknown[];
  readonly patch: readonly unknown[];
}

/** Elements of the patch come in its order, and before those it does not name, unless the old list says otherwise. */
const interleave = ({ old, merged, patch }: Merging, idOf: (item: unknown) => unknown): readonly unknown[] => {
  const placeIn = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((other) => isEqualJson(idOf(other), idOf(item)));
  const named = merged
    .filter((item) => placeIn(patch, item) >= 0)
    .toSorted((left, right) => placeIn(patch, left) - placeIn(patch, right));
  const others = merged.filter((item) => placeIn(patch, item) < 0);
  const all: unknown[] = [];
  for (const item of named) {
    const place = placeIn(old, item);
    while (others.length > 0 && place >= 0 && placeIn(old, others[0]) < place) all.push(others.shift());
    all.push(item);
  }
  return [...all, ...others];
};

const deleteItems = (merged: Record<string, unknown>, field: string, items: unknown): void => {
  const old = merged[field];
  if (!Array.isArray(old) || !Array.isArray(items)) return;
  merged[field] = old.filter((item) => !items.some((other) => isEqualJson(item, other)));
};

/** Elements named in the order come in that order; others stay behind them. */
const orderItems = (
  merged: Record<string, unknown>,
  { field, order }: { readonly field: string; readonly order: unknown },
  { mergeKey: key }: Shape,
): void => {
  const items = merged[field];
  if (!Array.isArray(items) || !Array.isArray(order)) return;
  const idOf = (item: unknown): unknown => (key !== undefined && isRecord(item) ? item[key] : item);
  const ranks = order.map(idOf);
  const rankOf = (item: unknown): number => {
    const rank = ranks.findIndex((id) => isEqualJson(id, idOf(item)));
    return rank < 0 ? ranks.length : rank;
  };
  merged[field] = items.toSorted((left, right) => rankOf(left) - rankOf(right));
};
