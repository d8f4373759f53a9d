/**
 * How an object's lists and maps merge: element by element under a key, as a set, or as one piece. Server-side apply and
 * strategic merge ask this; the kind's schema answers.
 */
import { isRecord } from '../../../base/json.ts';
import type { Schema } from '../schema/schema.ts';

export type ListShape =
  | { readonly merges: 'atomic' }
  | { readonly merges: 'set' }
  /** The defaults stand in for keys that an item leaves out. */
  | { readonly merges: 'map'; readonly keys: readonly string[]; readonly defaults?: Readonly<Record<string, unknown>> };

export interface Shape {
  readonly list: ListShape;
  /** The key by which strategic merge merges the list's items; undefined when it replaces the list. */
  readonly mergeKey: string | undefined;
  /** `atomic`: a map that is replaced as a whole. */
  readonly map: 'granular' | 'atomic';
  field(name: string): Shape;
  /** Whether the type declares the field; other fields are items of a map. */
  isDeclared(name: string): boolean;
  /** Declared fields that are always there. */
  readonly alwaysThere: readonly string[];
  readonly items: Shape;
}

const ATOMIC: ListShape = { merges: 'atomic' };
const SET: ListShape = { merges: 'set' };

/** Below what a schema knows: maps merge, lists do not. */
const UNKNOWN_SHAPE: Shape = {
  list: ATOMIC,
  mergeKey: undefined,
  map: 'granular',
  field: () => UNKNOWN_SHAPE,
  isDeclared: () => false,
  alwaysThere: [],
  get items() {
    return UNKNOWN_SHAPE;
  },
};

/** The shape that a schema describes. Metadata is everybody's, so its schema is given apart. */
export const shapeOfSchema = (schema: Schema, metadata: Schema): Shape => {
  const shapes = createShapes();
  const inner = shapes(schema);
  return {
    ...inner,
    get items() {
      return inner.items;
    },
    field: (name) => (name === 'metadata' ? shapes(metadata) : inner.field(name)),
    isDeclared: (name) => ['metadata', 'apiVersion', 'kind'].includes(name) || inner.isDeclared(name),
    alwaysThere: ['metadata', ...inner.alwaysThere],
  };
};

type Shapes = (schema: Schema | undefined) => Shape;

/** Each schema's shape is made once: objects are compared on every write. */
const createShapes = (): Shapes => {
  const made = new WeakMap<Schema, Shape>();
  const shapes: Shapes = (schema) => {
    if (schema === undefined) return UNKNOWN_SHAPE;
    const found = made.get(schema) ?? createShape(schema, shapes);
    made.set(schema, found);
    return found;
  };
  return shapes;
};

const createShape = (schema: Schema, shapes: Shapes): Shape => {
  const list = listShapeOf(schema);
  const { additionalProperties } = schema;
  const ofOthers = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const isDeclared = (name: string): boolean => Object.hasOwn(schema.properties ?? {}, name);
  return {
    list,
    mergeKey: schema['x-kubernetes-patch-merge-key'] ?? (list.merges === 'map' ? list.keys[0] : undefined),
    map: schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
    isDeclared,
    alwaysThere: schema.alwaysThere ?? [],
    field: (name) => shapes(isDeclared(name) ? schema.properties?.[name] : ofOthers),
    get items() {
      return shapes(schema.items);
    },
  };
};

const listShapeOf = (schema: Schema): ListShape => {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === 'set') return SET;
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(keys)) return ATOMIC;
  const { properties = {} } = schema.items ?? {};
  const defaults = keys.flatMap((key: string) => {
    const fallback = Object.hasOwn(properties, key) ? properties[key]?.default : undefined;
    return fallback === undefined ? [] : [[key, fallback]];
  });
  return { merges: 'map', keys: keys.map(String), defaults: Object.fromEntries(defaults) };
};

/** What tells one item of such a list from the others, as one text. */
export const itemKey = (item: unknown, { keys, defaults = {} }: Extract<ListShape, { merges: 'map' }>): string =>
  JSON.stringify(
    Object.fromEntries(
      keys.toSorted().map((key) => [key, (isRecord(item) ? item[key] : undefined) ?? defaults[key] ?? null]),
    ),
  );
