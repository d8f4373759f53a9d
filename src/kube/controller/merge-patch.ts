/** RFC 7386 merge patches as the difference of two values: the smallest thing to send, or nothing. */
import { isEqualJson, isRecord } from '../../base/json.ts';

/** The patch that turns `before` into `after`, or undefined when they are equal. Removed keys become null. */
export const diffMerge = (before: unknown, after: unknown): unknown => {
  if (isEqualJson(before, after)) return undefined;
  if (!isRecord(before) || !isRecord(after)) return after === undefined ? null : after;
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const difference = diffMerge(before[key], after[key]);
    if (difference !== undefined) patch[key] = difference;
  }
  return patch;
};
