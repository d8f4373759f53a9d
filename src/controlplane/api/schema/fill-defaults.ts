/**
 * Sets what an object leaves out to the defaults of its schema, from the outside in. Null counts as left out where it is not
 * allowed. The same value is given back when nothing was left out.
 */
import { isRecord } from '../../../base/json.ts';
import { mapFields, mapItems } from './rebuild.ts';
import { fieldSchema, type Schema } from './schema.ts';

export const fillDefaults = (value: unknown, schema: Schema): unknown => {
  if (Array.isArray(value)) return fillList(value, schema);
  return isRecord(value) ? fillMap(value, schema) : value;
};

const fillList = (value: readonly unknown[], { items }: Schema): unknown => {
  return items === undefined ? value : mapItems(value, (item) => fillDefaults(item, items));
};

const fillMap = (value: Readonly<Record<string, unknown>>, schema: Schema): unknown => {
  const missing = Object.entries(schema.properties ?? {}).filter(([name, { default: fallback, nullable }]) => {
    if (fallback === undefined) return false;
    return !Object.hasOwn(value, name) || (value[name] === null && nullable !== true);
  });
  const all = missing.length === 0 ? value : { ...value, ...Object.fromEntries(missing.map(defaultOf)) };
  return mapFields(all, (name, child) => {
    const below = fieldSchema(schema, name);
    return below === undefined ? child : fillDefaults(child, below);
  });
};

const defaultOf = ([name, schema]: readonly [string, Schema]): readonly [string, unknown] => [name, schema.default];
