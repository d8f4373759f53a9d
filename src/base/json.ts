/** Plain JSON values: what the Kubernetes API is made of. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Equality of JSON values; an absent key and a key that is `undefined` are the same. */
export const isEqualJson = (left: unknown, right: unknown): boolean => {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => isEqualJson(item, right[at]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  for (const key of Object.keys(left)) if (!isEqualJson(left[key], ownValue(right, key))) return false;
  for (const key of Object.keys(right)) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false;
  return true;
};

/** What an object inherits (`constructor`, `__proto__`) is not in its JSON. */
const ownValue = (record: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(record, key) ? record[key] : undefined;
