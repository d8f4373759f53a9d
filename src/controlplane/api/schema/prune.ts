/** Drops fields that a schema does not know, and says which: under `fieldValidation=Strict` they are refused instead. */
import { isRecord } from '../../../base/json.ts';
import { fieldSchema, joinField, type Schema } from './schema.ts';

export interface Pruned {
  readonly value: unknown;
  /** Paths of what was dropped. */
  readonly dropped: readonly string[];
}

/** The server knows these itself, at the root and in embedded objects. */
const ALWAYS_KNOWN = ['apiVersion', 'kind', 'metadata'];

export const prune = (value: unknown, schema: Schema): Pruned => {
  const dropped: string[] = [];
  const result = pruneValue(value, { ...schema, 'x-kubernetes-embedded-resource': true }, { path: '', dropped });
  return { value: result, dropped };
};

interface Place {
  readonly path: string;
  readonly dropped: string[];
}

const pruneValue = (value: unknown, schema: Schema, { path, dropped }: Place): unknown => {
  const { items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    return value.map((item, at) => pruneValue(item, items, { path: `${path}[${at}]`, dropped }));
  }
  if (!isRecord(value)) return value;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const kept = Object.entries(value).flatMap(([name, child]): readonly [string, unknown][] => {
    if (isEmbedded && ALWAYS_KNOWN.includes(name)) return [[name, child]];
    const below = fieldSchema(schema, name);
    const field = joinField(path, name);
    if (below !== undefined) return [[name, pruneValue(child, below, { path: field, dropped })]];
    if (keepsUnknown) return [[name, child]];
    dropped.push(field);
    return [];
  });
  return Object.fromEntries(kept);
};
