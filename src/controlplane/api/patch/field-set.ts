/**
 * Sets of fields in the form that `managedFields` has on the wire (FieldsV1): a tree whose keys are `f:<field>`,
 * `k:<keys of a list item>` and `v:<value of a set>`. A node is itself in the set when it is empty, or has the key `.`;
 * otherwise it only leads to what is below it.
 */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import { itemKey, type Shape } from './shape.ts';

export type FieldSet = Readonly<{ [key: string]: FieldSet }>;

const MEMBER: FieldSet = {};
const SELF = '.';

/** A set without any field. Inside a set an empty object is a member; only at the root does it mean nothing. */
export const NO_FIELDS: FieldSet = {};

export const hasFields = (set: FieldSet): boolean => Object.keys(set).length > 0;

type Node = FieldSet | undefined;
type Children = Readonly<Record<string, FieldSet>>;

const isMember = (node: Node): boolean => node !== undefined && (!hasFields(node) || Object.hasOwn(node, SELF));

const childrenIn = (node: Node): Children => {
  if (node === undefined || !Object.hasOwn(node, SELF)) return node ?? {};
  const { [SELF]: _self, ...children } = node;
  return children;
};

const childOf = (children: Children, key: string): Node => (Object.hasOwn(children, key) ? children[key] : undefined);

const toNode = (membership: 'member' | 'way', children: Children): Node => {
  if (!hasFields(children)) return membership === 'member' ? MEMBER : undefined;
  return membership === 'member' ? { [SELF]: MEMBER, ...children } : children;
};

/** The node that both sides make, where `keeps` says what is in it, given what is in each. */
const combine = (left: Node, right: Node, keeps: (inLeft: boolean, inRight: boolean) => boolean): Node => {
  if (right === undefined) return keeps(true, false) ? left : undefined;
  if (left === undefined) return keeps(false, true) ? right : undefined;
  const [below, other] = [childrenIn(left), childrenIn(right)];
  const children: [string, FieldSet][] = [];
  const add = (key: string): void => {
    const next = combine(childOf(below, key), childOf(other, key), keeps);
    if (next !== undefined) children.push([key, next]);
  };
  for (const key of Object.keys(below)) add(key);
  for (const key of Object.keys(other)) if (!Object.hasOwn(below, key)) add(key);
  return toNode(keeps(isMember(left), isMember(right)) ? 'member' : 'way', Object.fromEntries(children));
};

/** At the root an empty object is no member. */
const combineRoots = (
  left: FieldSet,
  right: FieldSet,
  keeps: (inLeft: boolean, inRight: boolean) => boolean,
): FieldSet => combine(hasFields(left) ? left : undefined, hasFields(right) ? right : undefined, keeps) ?? NO_FIELDS;

export const unite = (left: FieldSet, right: FieldSet): FieldSet => {
  if (!hasFields(left)) return right;
  return hasFields(right) ? combineRoots(left, right, (a, b) => a || b) : left;
};

/** `left` without the fields of `right`; what is below a field of `right` is another field. */
export const subtract = (left: FieldSet, right: FieldSet): FieldSet =>
  hasFields(left) && hasFields(right) ? combineRoots(left, right, (a, b) => a && !b) : left;

export const intersect = (left: FieldSet, right: FieldSet): FieldSet => combineRoots(left, right, (a, b) => a && b);

/** `set` without those subtrees, whole. */
export const without = (set: FieldSet, subtrees: FieldSet): FieldSet => {
  const children = Object.entries(set).flatMap(([key, node]): readonly [string, FieldSet][] => {
    const cut = childOf(subtrees, key);
    if (cut === undefined) return [[key, node]];
    if (!hasFields(cut)) return [];
    const left = without(node, cut);
    return hasFields(left) || isMember(node) ? [[key, left]] : [];
  });
  return Object.fromEntries(children);
};

/** One step down into a value: how FieldsV1 names it, what is there, and how that merges. */
export interface Child {
  readonly key: string;
  readonly value: unknown;
  readonly shape: Shape;
  /** Items of lists and of maps are fields of their own; a declared field is the sum of what is in it. */
  readonly isItem: boolean;
}

/** The parts that a value is owned by, or undefined when it is owned as one piece. */
export const childrenOf = (value: unknown, shape: Shape): readonly Child[] | undefined => {
  if (isRecord(value)) {
    if (shape.map === 'atomic') return undefined;
    return Object.entries(value).map(([name, item]) => {
      return { key: `f:${name}`, value: item, shape: shape.field(name), isItem: !shape.isDeclared(name) };
    });
  }
  const { list } = shape;
  if (!Array.isArray(value) || list.merges === 'atomic') return undefined;
  if (list.merges === 'set') {
    return value.map((item) => ({ key: `v:${JSON.stringify(item)}`, value: item, shape: shape.items, isItem: true }));
  }
  return value.map((item) => ({ key: `k:${itemKey(item, list)}`, value: item, shape: shape.items, isItem: true }));
};

/** All fields that somebody sets who applies the value. */
export const setOf = (value: unknown, shape: Shape): FieldSet => setBelow(value, shape) ?? NO_FIELDS;

const setBelow = (value: unknown, shape: Shape): Node => {
  const children = childrenOf(value, shape);
  if (children === undefined) return MEMBER;
  const below = children.flatMap(({ key, value: item, shape: inner, isItem }): readonly [string, FieldSet][] => {
    const isWhole = isItem || item === null || (isRecord(item) && Object.keys(item).length === 0);
    const node = toNode(isWhole ? 'member' : 'way', childrenIn(setBelow(item, inner)));
    const leaf = node ?? (childrenOf(item, inner) === undefined ? MEMBER : undefined);
    return leaf === undefined ? [] : [[key, leaf]];
  });
  // As they stand on the wire: who applies may compare them.
  const sorted = below.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return toNode('way', Object.fromEntries(sorted));
};

export interface Comparison {
  /** Fields that are new or have another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** What differs between two states of an object; of a new object the old state is empty. */
export const compare = (old: Fields, next: Fields, shape: Shape): Comparison => {
  if (isEqualJson(old, next)) return { changed: NO_FIELDS, removed: NO_FIELDS };
  return {
    changed: changedBelow(old, next, shape) ?? NO_FIELDS,
    removed: goneBelow(old, next, shape) ?? NO_FIELDS,
  };
};

/** Of two values that differ. Most fields of most objects are as they were, and cost no more than the look at them. */
const changedBelow = (old: unknown, next: unknown, shape: Shape): Node => {
  if (isGranular(next, shape)) return changedIn(old, next, shape);
  const [before, after] = [childrenOf(old, shape), childrenOf(next, shape)];
  if (after === undefined || (after.length === 0 && (before ?? []).length === 0)) return MEMBER;
  const known = new Map((before ?? []).map((child) => [child.key, child]));
  const below = after.flatMap(({ key, value, shape: inner }) => {
    const other = known.get(key)?.value;
    return isEqualJson(other, value) ? [] : leadingTo(key, changedBelow(other, value, inner));
  });
  return toNode(old === undefined ? 'member' : 'way', Object.fromEntries(below));
};

const changedIn = (old: unknown, next: Fields, shape: Shape): Node => {
  const names = Object.keys(next);
  if (names.length === 0 && (childrenOf(old, shape) ?? []).length === 0) return MEMBER;
  const before = isRecord(old) ? old : NOTHING;
  const implied = old === undefined ? [] : shape.alwaysThere;
  const below = names.flatMap((name) => {
    const value = next[name];
    const isImplied = !Object.hasOwn(before, name) && implied.includes(name);
    const other = isImplied ? emptyLike(value) : fieldOf(before, name);
    return isEqualJson(other, value) ? [] : leadingTo(`f:${name}`, changedBelow(other, value, shape.field(name)));
  });
  return toNode(old === undefined ? 'member' : 'way', Object.fromEntries(below));
};

const NOTHING: Fields = {};

/** Whether each field of it has owners of its own. */
const isGranular = (value: unknown, shape: Shape): value is Fields => isRecord(value) && shape.map !== 'atomic';

const fieldOf = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

const leadingTo = (key: string, node: Node): readonly (readonly [string, FieldSet])[] =>
  node === undefined ? [] : [[key, node]];

const emptyLike = (value: unknown): unknown => (Array.isArray(value) ? [] : isRecord(value) ? {} : undefined);

/** Of two values that differ. */
const goneBelow = (old: unknown, next: unknown, shape: Shape): Node => {
  if (isGranular(old, shape)) return goneFrom(old, next, shape);
  if (old === undefined) return undefined;
  const [before, after] = [childrenOf(old, shape), childrenOf(next, shape)];
  if (before === undefined || (before.length === 0 && next === undefined)) {
    return next === undefined ? MEMBER : undefined;
  }
  const left = new Map((after ?? []).map((child) => [child.key, child]));
  const below = before.flatMap(({ key, value, shape: inner }) => {
    const other = left.get(key)?.value;
    return isEqualJson(value, other) ? [] : leadingTo(key, goneBelow(value, other, inner));
  });
  return toNode(next === undefined ? 'member' : 'way', Object.fromEntries(below));
};

const goneFrom = (old: Fields, next: unknown, shape: Shape): Node => {
  const names = Object.keys(old);
  if (names.length === 0 && next === undefined) return MEMBER;
  const left = isRecord(next) ? next : NOTHING;
  const below = names.flatMap((name) => {
    const [value, other] = [old[name], fieldOf(left, name)];
    return isEqualJson(value, other) ? [] : leadingTo(`f:${name}`, goneBelow(value, other, shape.field(name)));
  });
  return toNode(next === undefined ? 'member' : 'way', Object.fromEntries(below));
};

/** The paths of all fields as a person reads them: `.spec.replicas`, `.status.conditions[type="Ready"].status`. */
export const renderPaths = (set: FieldSet, prefix = ''): readonly string[] => [
  ...(isMember(set) && prefix !== '' ? [prefix] : []),
  ...Object.entries(childrenIn(set))
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([key, below]) => renderPaths(below, prefix + renderStep(key))),
];

/** One step as a person reads it: `.spec`, `[name="x"]`, `[="value"]`. */
export const renderStep = (key: string): string => {
  if (key.startsWith('f:')) return `.${key.slice(2)}`;
  if (key.startsWith('v:')) return `[=${key.slice(2)}]`;
  const keys: unknown = JSON.parse(key.slice(2));
  const parts = Object.entries(isRecord(keys) ? keys : {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${parts.join(',')}]`;
};

export interface Removal {
  readonly remove: FieldSet;
  /** Fields that somebody still owns: nothing goes that holds one of them. */
  readonly keep: FieldSet;
}

/** The value without those fields. What holds only fields that nobody owns goes with its last owner. */
export const removeFields = (value: unknown, removal: Removal, shape: Shape): unknown =>
  hasFields(removal.remove) ? removeBelow(value, removal, shape) : value;

const removeBelow = (value: unknown, { remove, keep }: Removal, shape: Shape): unknown => {
  const children = childrenOf(value, shape);
  if (children === undefined) return value;
  const kept = children.flatMap((child): readonly Child[] => {
    const part = childOf(remove, child.key);
    if (part === undefined) return [child];
    const owned = childOf(keep, child.key);
    if (isMember(part) && owned === undefined) return [];
    const below = { remove: childrenIn(part), keep: childrenIn(owned) };
    const inner = removeFields(child.value, below, child.shape);
    return isEmptied(inner) && inner !== child.value && owned === undefined ? [] : [{ ...child, value: inner }];
  });
  return rebuild(value, kept);
};

const isEmptied = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const rebuild = (value: unknown, kept: readonly Child[]): unknown =>
  Array.isArray(value) ? kept.map((child) => child.value) : toFields(kept);

const toFields = (children: readonly Child[]): Fields =>
  Object.fromEntries(children.map(({ key, value }) => [key.slice(2), value]));
