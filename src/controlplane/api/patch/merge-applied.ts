/** Lays what somebody applies over what is there: maps merge, lists as their shape says, everything else is replaced. */
import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import { childrenOf, renderStep } from './field-set.ts';
import { setOwn } from './merge-patch.ts';
import type { Shape } from './shape.ts';

export const mergeApplied = (live: unknown, applied: unknown, shape: Shape): unknown => {
  if (isRecord(applied)) return isRecord(live) && shape.map === 'granular' ? mergeMaps(live, applied, shape) : applied;
  if (!Array.isArray(applied) || !Array.isArray(live) || shape.list.merges === 'atomic') return applied;
  return mergeLists(live, applied, shape);
};

const mergeMaps = (live: Fields, applied: Fields, shape: Shape): Fields => {
  const merged: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(applied)) {
    setOwn(merged, key, mergeApplied(Object.hasOwn(live, key) ? live[key] : undefined, value, shape.field(key)));
  }
  return merged;
};

/** What is applied comes in its own order; items that only live has stay before the item they were before. */
const mergeLists = (live: readonly unknown[], applied: readonly unknown[], shape: Shape): readonly unknown[] => {
  const [before, wanted] = [childrenOf(live, shape) ?? [], childrenOf(applied, shape) ?? []];
  const wantedKeys = new Set(wanted.map(({ key }) => key));
  const liveByKey = new Map(before.map((child) => [child.key, child.value]));
  const merged: unknown[] = [];
  let at = 0;
  /** Adds what only live has, up to the next item that both have. */
  const takeLive = (): void => {
    for (; at < before.length && !wantedKeys.has(before[at]?.key ?? ''); at += 1) merged.push(before[at]?.value);
  };
  for (const { key, value } of wanted) {
    takeLive();
    merged.push(liveByKey.has(key) ? mergeApplied(liveByKey.get(key), value, shape.items) : value);
    if (before[at]?.key === key) at += 1;
  }
  for (const { key, value } of before.slice(at)) if (!wantedKeys.has(key)) merged.push(value);
  return merged;
};

/** The first item of a keyed list or set that is there twice: `.spec.parts: duplicate entries for key [name="x"]`. */
export const findRepeated = (value: unknown, shape: Shape, path = ''): string | undefined => {
  const seen = new Set<string>();
  for (const { key, value: item, shape: below } of childrenOf(value, shape) ?? []) {
    const step = renderStep(key);
    if (seen.has(key)) return `${path}: duplicate entries for key ${step}`;
    seen.add(key);
    const inner = findRepeated(item, below, `${path}${step}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
};
