/**
 * Sets of fields in the form that `managedFields` has on the wire (FieldsV1): a tree whose keys are `f:<field>`,
 * `k:<keys of a list item>`, `v:<value of a set>`, and `.` for the item itself. A leaf is an empty object.
 */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import { itemKey, type Shape } from './shape.ts';

export type FieldSet = Readonly<{ [key: string]: FieldSet }>;

const LEAF: FieldSet = {};
const isLeaf = (set: FieldSet): boolean => Object.keys(set).length === 0;

/** One step down into a value: how FieldsV1 names it, what is there, and how that merges. */
interface Child {
  readonly key: string;
  readonly value: unknown;
  readonly shape: Shape;
}

/** The parts that a value is owned by, or undefined when it is owned as one piece. */
const childrenOf = (value: unknown, shape: Shape): readonly Child[] | undefined => {
  if (isRecord(value)) {
    if (shape.map === 'atomic') return undefined;
    return Object.entries(value).map(([name, item]) => ({ key: `f:${name}`, value: item, shape: shape.field(name) }));
  }
  const { list } = shape;
  if (!Array.isArray(value) || list.merges === 'atomic') return undefined;
  if (list.merges === 'set') return value.map((item) => ({ key: `v:${JSON.stringify(item)}`, value: null, shape }));
  return value.map((item) => ({ key: `k:${itemKey(item, list)}`, value: item, shape: shape.items }));
};

/** All fields that are set in a value. */
export const setOf = (value: unknown, shape: Shape): FieldSet => {
  const children = childrenOf(value, shape);
  if (children === undefined || children.length === 0) return LEAF;
  return Object.fromEntries(
    children.map(({ key, value: item, shape: below }) => [key, ownPart(key, setOf(item, below))]),
  );
};

const ownPart = (key: string, set: FieldSet): FieldSet => (key.startsWith('k:') ? { '.': LEAF, ...set } : set);

/** The fields of `value` that `old` lacks or has otherwise. What only `old` has does not count. */
export const changedSet = (value: unknown, old: unknown, shape: Shape): FieldSet =>
  changedBelow(value, old, shape) ?? NO_FIELDS;

const changedBelow = (value: unknown, old: unknown, shape: Shape): FieldSet | undefined => {
  if (isEqualJson(value, old)) return undefined;
  const children = childrenOf(value, shape);
  const before = childrenOf(old, shape);
  if (children === undefined || before === undefined) return setOf(value, shape);
  const known = new Map(before.map((child) => [child.key, child]));
  const parts = new Map(children.map((child) => [child.key, child]));
  return mapSet(setOf(value, shape), (set, key) => {
    const [child, other] = [parts.get(key), known.get(key)];
    if (child === undefined || other === undefined) return set;
    return changedBelow(child.value, other.value, child.shape);
  });
};

/** A set without any field. Inside a set an empty object is a leaf; only at the root does it mean nothing. */
export const NO_FIELDS: FieldSet = {};

export const hasFields = (set: FieldSet): boolean => !isLeaf(set);

export const unite = (left: FieldSet, right: FieldSet): FieldSet => {
  const united: Record<string, FieldSet> = { ...left };
  for (const [key, set] of Object.entries(right)) united[key] = unite(united[key] ?? LEAF, set);
  return united;
};

/** `left` without what is in `right`. A leaf of `right` takes all that is below it. */
export const subtract = (left: FieldSet, right: FieldSet): FieldSet =>
  isLeaf(right) ? left : (subtractBelow(left, right) ?? NO_FIELDS);

const subtractBelow = (left: FieldSet, right: FieldSet): FieldSet | undefined => {
  if (isLeaf(right)) return undefined;
  if (isLeaf(left)) return left;
  return mapSet(left, (set, key) => {
    const other = Object.hasOwn(right, key) ? right[key] : undefined;
    return other === undefined ? set : subtractBelow(set, other);
  });
};

/** What both own. A leaf owns all that is below it. */
export const intersect = (left: FieldSet, right: FieldSet): FieldSet =>
  isLeaf(left) || isLeaf(right) ? NO_FIELDS : (intersectBelow(left, right) ?? NO_FIELDS);

const intersectBelow = (left: FieldSet, right: FieldSet): FieldSet | undefined => {
  if (isLeaf(left)) return right;
  if (isLeaf(right)) return left;
  return mapSet(left, (set, key) => {
    const other = Object.hasOwn(right, key) ? right[key] : undefined;
    return other === undefined ? undefined : intersectBelow(set, other);
  });
};

/** Undefined when nothing is left. */
const mapSet = (set: FieldSet, map: (below: FieldSet, key: string) => FieldSet | undefined): FieldSet | undefined => {
  const mapped = Object.entries(set).flatMap(([key, below]): readonly [string, FieldSet][] => {
    const next = map(below, key);
    return next === undefined ? [] : [[key, next]];
  });
  return mapped.length === 0 ? undefined : Object.fromEntries(mapped);
};

/** The paths of all leaves as a person reads them: `.spec.replicas`, `.status.conditions[type="Ready"].status`. */
export const renderPaths = (set: FieldSet, prefix = ''): readonly string[] =>
  isLeaf(set)
    ? [prefix]
    : Object.entries(set).flatMap(([key, below]) => (key === '.' ? [] : renderPaths(below, prefix + renderStep(key))));

const renderStep = (key: string): string => {
  if (key.startsWith('f:')) return `.${key.slice(2)}`;
  if (key.startsWith('v:')) return `[=${key.slice(2)}]`;
  const keys: unknown = JSON.parse(key.slice(2));
  const parts = Object.entries(isRecord(keys) ? keys : {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${parts.join(',')}]`;
};

/** The value without those fields. A list item goes when it is itself among them. */
export const removeFields = (value: unknown, set: FieldSet, shape: Shape): unknown =>
  isLeaf(set) ? value : removeBelow(value, set, shape);

const removeBelow = (value: unknown, set: FieldSet, shape: Shape): unknown => {
  const children = childrenOf(value, shape);
  if (children === undefined) return value;
  const kept = children.flatMap((child): readonly Child[] => {
    const part = Object.hasOwn(set, child.key) ? set[child.key] : undefined;
    if (part === undefined) return [child];
    if (part['.'] !== undefined || isLeaf(part)) return [];
    return [{ ...child, value: removeBelow(child.value, part, child.shape) }];
  });
  return rebuild(value, kept, shape);
};

const rebuild = (value: unknown, kept: readonly Child[], shape: Shape): unknown => {
  if (isRecord(value)) return toFields(kept);
  if (!Array.isArray(value) || shape.list.merges !== 'set') return kept.map(({ value: item }) => item);
  const keys = kept.map(({ key }) => key);
  return value.filter((item) => keys.includes(`v:${JSON.stringify(item)}`));
};

const toFields = (children: readonly Child[]): Fields =>
  Object.fromEntries(children.map(({ key, value }) => [key.slice(2), value]));
