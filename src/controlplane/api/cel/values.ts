/** JSON as CEL sees it: whole numbers are integers. */
import { isRecord } from '../../../base/json.ts';

export const toCelValue = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCelValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toCelValue(item)]));
};
