/** Drops fields that a schema does not know, and says which: under `fieldValidation=Strict` they are refused instead. */
import { isRecord } from '../../../base/json.ts';
import { mapFields, mapItems } from './rebuild.ts';
import { fieldSchema, joinField, type Schema } from './schema.ts';

export interface Pruned {
  readonly value: unknown;
  /** Paths of what was dropped. */
  readonly dropped: readonly string[];
}

/** The server knows these itself, at the root and in embedded objects. */
const ALWAYS_KNOWN = ['apiVersion', 'kind', 'metadata'];

/** `metadata` is the schema of everybody's metadata: that of embedded objects is pruned by it, silently. */
export const prune = (value: unknown, schema: Schema, metadata: Schema): Pruned => {
  const dropped: string[] = [];
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  const result = pruneValue(value, root, { path: '', dropped, metadata });
  return { value: result, dropped };
};

interface Place {
  readonly path: string;
  readonly dropped: string[];
  readonly metadata: Schema;
}

const isDeclared = ({ properties = {} }: Schema, name: string): boolean => Object.hasOwn(properties, name);

const pruneValue = (value: unknown, schema: Schema, place: Place): unknown => {
  const { items } = schema;
  const { path, dropped, metadata } = place;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    return mapItems(value, (item, at) => pruneValue(item, items, { ...place, path: `${path}[${at}]` }));
  }
  if (!isRecord(value)) return value;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  return mapFields(value, (name, child) => {
    if (isEmbedded && ALWAYS_KNOWN.includes(name)) {
      const isInner = name === 'metadata' && path !== '';
      return isInner ? pruneValue(child, metadata, { ...place, dropped: [] }) : child;
    }
    const below = fieldSchema(schema, name);
    // Null is a value only where the schema says so; elsewhere it is the same as absent.
    if (child === null && below !== undefined && below.nullable !== true && isDeclared(schema, name)) return undefined;
    const field = joinField(path, name);
    if (below !== undefined) return pruneValue(child, below, { ...place, path: field });
    if (keepsUnknown) return child;
    dropped.push(field);
    return undefined;
  });
};
