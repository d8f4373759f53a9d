/** Kubernetes' functions on lists, which CEL itself does not have: isSorted, sum, min, max, indexOf, lastIndexOf. */
import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '@marcbachmann/cel-js';

type List = readonly unknown[];

export const withListFunctions = (environment: Environment): Environment =>
  environment
    .registerFunction('list.isSorted(): bool', (list: List) =>
      list.every((item, at) => at === 0 || compare(list[at - 1], item) <= 0),
    )
    .registerFunction('list.sum(): dyn', sum)
    .registerFunction('list.min(): dyn', (list: List) => extreme(list, 'min', (order) => order < 0))
    .registerFunction('list.max(): dyn', (list: List) => extreme(list, 'max', (order) => order > 0))
    .registerFunction('list.indexOf(dyn): int', (list: List, wanted: unknown) =>
      BigInt(list.findIndex((item) => isDeepStrictEqual(item, wanted))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: List, wanted: unknown) =>
      BigInt(list.findLastIndex((item) => isDeepStrictEqual(item, wanted))),
    );

/** Below zero when the left one comes first. What has no order is refused. */
const compare = (left: unknown, right: unknown): number => {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  const [one, other] = [measureOf(left), measureOf(right)];
  if (one === undefined || other === undefined) throw new Error('no such overload: items of the list have no order');
  return one < other ? -1 : one > other ? 1 : 0;
};

const measureOf = (value: unknown): number | bigint | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return value.getTime();
  return undefined;
};

/** Of no items it is the integer 0. */
const sum = (list: List): number | bigint => {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce<bigint>((all, item) => all + item, 0n);
  if (list.every((item) => typeof item === 'number')) return list.reduce<number>((all, item) => all + item, 0);
  throw new Error('no such overload: sum() is for lists of numbers of one type');
};

const extreme = (list: List, name: string, isBetter: (order: number) => boolean): unknown => {
  const [first, ...rest] = list;
  if (list.length === 0) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (isBetter(compare(item, best)) ? item : best), first);
};
