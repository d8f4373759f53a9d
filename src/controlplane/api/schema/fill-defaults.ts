/**
 * Sets what an object leaves out to the defaults of its schema, from the outside in. Null counts as left out where it is not
 * allowed. The same value is given back when nothing was left out.
 */
import { isRecord } from '../../../base/json.ts';
import { fieldSchema, type Schema } from './schema.ts';

export const fillDefaults = (value: unknown, schema: Schema): unknown => {
  if (Array.isArray(value)) return fillList(value, schema);
  return isRecord(value) ? fillMap(value, schema) : value;
};

const fillList = (value: readonly unknown[], { items }: Schema): unknown => {
  if (items === undefined) return value;
  const filled = value.map((item) => fillDefaults(item, items));
  return filled.every((item, at) => item === value[at]) ? value : filled;
};

const fillMap = (value: Readonly<Record<string, unknown>>, schema: Schema): unknown => {
  const missing = Object.entries(schema.properties ?? {}).filter(([name, { default: fallback, nullable }]) => {
    if (fallback === undefined) return false;
    return !Object.hasOwn(value, name) || (value[name] === null && nullable !== true);
  });
  const all = missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing.map(defaultOf)) };
  const entries = Object.entries(all).map(([name, child]): readonly [string, unknown] => {
    const below = fieldSchema(schema, name);
    return [name, below === undefined ? child : fillDefaults(child, below)];
  });
  const isSame = missing.length === 0 && entries.every(([name, child]) => child === value[name]);
  return isSame ? value : Object.fromEntries(entries);
};

const defaultOf = ([name, schema]: readonly [string, Schema]): readonly [string, unknown] => [name, schema.default];
