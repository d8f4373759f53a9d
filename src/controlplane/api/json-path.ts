/** The part of JSONPath that printer columns and scale subresources use: fields, indexes and filters for equality. */
import { isRecord } from '../../base/json.ts';

type Step =
  | { readonly do: 'field'; readonly name: string }
  | { readonly do: 'index'; readonly at: number }
  | { readonly do: 'all' }
  | { readonly do: 'filter'; readonly path: readonly string[]; readonly value: string };

export type JsonPath = readonly Step[];

const FIELD = /^\.?((?:[^.[\\]|\\.)+)/;
const QUOTED = /^\[(['"])(.*?)\1\]/;
const INDEX = /^\[(\d+)\]/;
const ALL = /^\[\*\]/;
const FILTER = /^\[\?\(\s*@\.([\w.-]+)\s*==\s*(['"])(.*?)\2\s*\)\]/;

/** The path, or undefined when the text uses what is not supported. Braces around it are optional. */
export const parseJsonPath = (text: string): JsonPath | undefined => {
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '');
  const steps: Step[] = [];
  while (rest !== '' && rest !== '.') {
    const found = nextStep(rest);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps;
};

const nextStep = (rest: string): { readonly step: Step; readonly length: number } | undefined => {
  const filter = FILTER.exec(rest);
  if (filter?.[1] !== undefined) {
    return { step: { do: 'filter', path: filter[1].split('.'), value: filter[3] ?? '' }, length: filter[0].length };
  }
  const all = ALL.exec(rest);
  if (all !== null) return { step: { do: 'all' }, length: all[0].length };
  const index = INDEX.exec(rest);
  if (index !== null) return { step: { do: 'index', at: Number(index[1]) }, length: index[0].length };
  const quoted = QUOTED.exec(rest);
  if (quoted?.[2] !== undefined) return { step: { do: 'field', name: quoted[2] }, length: quoted[0].length };
  const field = FIELD.exec(rest);
  if (field?.[1] === undefined) return undefined;
  return { step: { do: 'field', name: field[1].replaceAll(/\\(.)/g, '$1') }, length: field[0].length };
};

/** Every value that the path leads to. */
export const findByPath = (root: unknown, path: JsonPath): readonly unknown[] => {
  let found: readonly unknown[] = [root];
  for (const step of path) found = found.flatMap((value) => takeStep(value, step));
  return found;
};

const takeStep = (value: unknown, step: Step): readonly unknown[] => {
  if (step.do === 'field') return isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (step.do === 'all') return items;
  if (step.do === 'index') return items.slice(step.at, step.at + 1);
  return items.filter((item) => String(valueAt(item, step.path)) === step.value);
};

/** The value under plain field names, or undefined. */
export const valueAt = (root: unknown, names: readonly string[]): unknown => {
  let value = root;
  for (const name of names) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
};

/** The plain field names of a path such as `.spec.replicas`; undefined when it is more than that. */
export const namesOf = (path: JsonPath): readonly string[] | undefined => {
  const names = path.flatMap((step) => (step.do === 'field' ? [step.name] : []));
  return names.length === path.length ? names : undefined;
};
