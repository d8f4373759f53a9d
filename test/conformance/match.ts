/** Whether an answer is as expected. Pure. An expectation is partial: a field it does not name may be anything. */
import { unreachable } from '../../src/base/errors.ts';
import { isEqualJson, isRecord } from '../../src/base/json.ts';

const MATCHER = Symbol('matcher');

/** Data, so that names kept by earlier steps can be filled in. */
interface Matcher {
  readonly [MATCHER]: 'absent' | 'present' | 'including' | 'exactly' | 'not';
  readonly wanted?: unknown;
}

const isMatcher = (value: unknown): value is Matcher => isRecord(value) && MATCHER in value;

export const absent: Matcher = { [MATCHER]: 'absent' };

export const present: Matcher = { [MATCHER]: 'present' };

/** A list that holds something like each of these, in any order, and perhaps more. */
export const including = (...wanted: readonly unknown[]): Matcher => ({ [MATCHER]: 'including', wanted });

/** The very same, not more. */
export const exactly = (wanted: unknown): Matcher => ({ [MATCHER]: 'exactly', wanted });

export const not = (wanted: unknown): Matcher => ({ [MATCHER]: 'not', wanted });

const meets = (value: unknown, { [MATCHER]: is, wanted }: Matcher): boolean => {
  switch (is) {
    case 'absent':
      return value === undefined;
    case 'present':
      return value !== undefined && value !== null;
    case 'exactly':
      return isEqualJson(value, wanted);
    case 'not':
      return mismatches(value, wanted, '').length > 0;
    case 'including':
      return Array.isArray(value) && Array.isArray(wanted) && wanted.every((one) => hasLike(value, one));
    default:
      return unreachable(is);
  }
};

const hasLike = (list: readonly unknown[], wanted: unknown): boolean =>
  list.some((item) => mismatches(item, wanted, '').length === 0);

const show = (value: unknown): string => {
  if (value instanceof RegExp) return String(value);
  return (JSON.stringify(value) ?? 'nothing').slice(0, 400);
};

/** Each says where, what is there and what was wanted. None: it matches. */
export const mismatches = (value: unknown, wanted: unknown, where: string): readonly string[] => {
  if (wanted === undefined) return [];
  if (isMatcher(wanted)) {
    return meets(value, wanted)
      ? []
      : [`${where}: is ${show(value)}, wanted ${wanted[MATCHER]} ${show(wanted.wanted)}`];
  }
  if (wanted instanceof RegExp) {
    return typeof value === 'string' && wanted.test(value) ? [] : [`${where}: is ${show(value)}, wanted ${wanted}`];
  }
  if (Array.isArray(wanted)) return mismatchesOfList(value, wanted, where);
  if (isRecord(wanted)) {
    if (!isRecord(value)) return [`${where}: is ${show(value)}, wanted an object`];
    return Object.entries(wanted).flatMap(([name, inner]) => mismatches(value[name], inner, `${where}.${name}`));
  }
  return Object.is(value, wanted) ? [] : [`${where}: is ${show(value)}, wanted ${show(wanted)}`];
};

const mismatchesOfList = (value: unknown, wanted: readonly unknown[], where: string): readonly string[] => {
  if (!Array.isArray(value)) return [`${where}: is ${show(value)}, wanted a list`];
  if (value.length !== wanted.length)
    return [`${where}: has ${value.length} items, wanted ${wanted.length}: ${show(value)}`];
  return wanted.flatMap((inner, index) => mismatches(value[index], inner, `${where}[${index}]`));
};
