/** RFC 7386: the patch laid over the value; null removes. */
import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';

export const applyMergePatch = (target: unknown, patch: unknown): unknown =>
  isRecord(patch) ? mergeFields(isRecord(target) ? target : {}, patch) : patch;

const mergeFields = (target: Fields, patch: Fields): Fields => {
  const merged: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setOwn(merged, key, applyMergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
};

/** A key called `__proto__` is a key like any other. */
export const setOwn = (record: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
};
