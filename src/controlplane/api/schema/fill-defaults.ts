/** Sets what an object leaves out to the defaults of its schema, from the outside in. Null counts as left out unless allowed. */
import { isRecord } from '../../../base/json.ts';
import { fieldSchema, type Schema } from './schema.ts';

export const fillDefaults = (value: unknown, schema: Schema): unknown => {
  const { items } = schema;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => fillDefaults(item, items));
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, { default: fallback, nullable }] of Object.entries(schema.properties ?? {})) {
    if (fallback === undefined) continue;
    const isLeftOut = !Object.hasOwn(filled, name) || (filled[name] === null && nullable !== true);
    if (isLeftOut) filled[name] = fallback;
  }
  for (const [name, child] of Object.entries(filled)) {
    const below = fieldSchema(schema, name);
    if (below !== undefined) filled[name] = fillDefaults(child, below);
  }
  return filled;
};
