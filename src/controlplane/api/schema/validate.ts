/**
 * Checks a value against a structural schema, in the words of a real API server. On an update, parts that did not change
 * are not judged again (ratcheting): an object stored under an older schema can still be worked on.
 */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { itemKey } from '../patch/shape.ts';
import { invalidValue, type Problem, required } from '../refusal.ts';
import type { JudgedPlace } from './place.ts';
import { checkScalar } from './scalars.ts';
import { fieldSchema, joinField, type Schema } from './schema.ts';

export const validate = (value: unknown, schema: Schema, place: JudgedPlace): readonly Problem[] => {
  if (place.old !== undefined && isEqualJson(value, place.old)) return [];
  if (value === null && schema.nullable === true) return [];
  const wrongType = checkType(value, schema, place.path);
  if (wrongType !== undefined) return [wrongType];
  return [
    ...checkEnum(value, schema, place.path),
    ...checkScalar(value, schema, place),
    ...(Array.isArray(value) ? checkList(value, schema, place) : []),
    ...(isRecord(value) ? checkMap(value, schema, place) : []),
    ...checkCombined(value, schema, place),
  ];
};

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

const checkType = (value: unknown, schema: Schema, path: string): Problem | undefined => {
  const actual = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    return actual === 'integer' || actual === 'string' ? undefined : wrong(path, 'integer or string', actual);
  }
  const { type } = schema;
  if (type === undefined || type === '' || type === actual) return undefined;
  if (type === 'number' && actual === 'integer') return undefined;
  return wrong(path, type, actual);
};

const wrong = (path: string, wanted: string, actual: string): Problem => ({
  ...invalidValue(path, actual, `${path} in body must be of type ${wanted}: ${JSON.stringify(actual)}`),
  reason: 'FieldValueTypeInvalid',
});

const checkEnum = (value: unknown, schema: Schema, path: string): readonly Problem[] => {
  if (schema.enum === undefined || schema.enum.some((allowed) => isEqualJson(allowed, value))) return [];
  const listed = schema.enum.map((allowed) => JSON.stringify(allowed)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${listed}`;
  return [{ field: path, reason: 'FieldValueNotSupported', message }];
};

const checkList = (value: readonly unknown[], schema: Schema, place: JudgedPlace): readonly Problem[] => {
  const { path, old } = place;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  const problems: Problem[] = [];
  if (value.length < minItems)
    problems.push(invalidValue(path, value.length, `${path} in body should have at least ${minItems} items`));
  if (value.length > maxItems)
    problems.push({
      field: path,
      reason: 'FieldValueTooMany',
      message: `Too many: ${value.length}: must have at most ${maxItems} items`,
    });
  if (items === undefined) return [...problems, ...checkUnique(value, schema, path)];
  const oldItem = oldItems(schema, old);
  const inner = value.flatMap((item, at) =>
    validate(item, items, { ...place, path: `${path}[${at}]`, old: oldItem(item) }),
  );
  return [...problems, ...inner, ...checkUnique(value, schema, path)];
};

/** Items of a list with keys have a past; those of other lists do not. */
export const oldItems = (schema: Schema, old: unknown): ((item: unknown) => unknown) => {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined || !Array.isArray(old)) return () => undefined;
  const byKey = new Map(old.map((item) => [itemKey(item, { merges: 'map', keys }), item]));
  return (item) => byKey.get(itemKey(item, { merges: 'map', keys }));
};

const checkUnique = (value: readonly unknown[], schema: Schema, path: string): readonly Problem[] => {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const isSet = listType === 'set' || schema.uniqueItems === true;
  if (!isSet && (listType !== 'map' || keys === undefined)) return [];
  const idOf = (item: unknown): string =>
    listType === 'map' && keys !== undefined ? itemKey(item, { merges: 'map', keys }) : JSON.stringify(item);
  const seen = new Set<string>();
  return value.flatMap((item, at) => {
    const id = idOf(item);
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ field: `${path}[${at}]`, reason: 'FieldValueDuplicate', message: `Duplicate value: ${id}` }];
  });
};

const checkMap = (value: Readonly<Record<string, unknown>>, schema: Schema, place: JudgedPlace): readonly Problem[] => {
  const { path, old } = place;
  const count = Object.keys(value).length;
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema;
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const before = isRecord(old) ? old : {};
  return [
    ...missing.map((name) => required(joinField(path, name))),
    ...(count < minProperties
      ? [invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`)]
      : []),
    ...(count > maxProperties
      ? [invalidValue(path, count, `${path} in body should have at most ${maxProperties} properties`)]
      : []),
    ...Object.entries(value).flatMap(([name, child]) => {
      const below = fieldSchema(schema, name);
      const oldChild = Object.hasOwn(before, name) ? before[name] : undefined;
      return below === undefined
        ? []
        : validate(child, below, { ...place, path: joinField(path, name), old: oldChild });
    }),
  ];
};

const checkCombined = (value: unknown, schema: Schema, place: JudgedPlace): readonly Problem[] => {
  const { path } = place;
  const judge = (part: Schema): readonly Problem[] => validate(value, part, { ...place, old: undefined });
  const passes = (part: Schema): boolean => judge(part).length === 0;
  const { allOf = [], anyOf, oneOf, not } = schema;
  const said = typeof value === 'object' ? typeOf(value) : value;
  return [
    ...allOf.flatMap(judge),
    ...(anyOf === undefined || anyOf.some(passes)
      ? []
      : [invalidValue(path, said, `${path} in body must validate at least one schema (anyOf)`)]),
    ...(oneOf === undefined || oneOf.filter(passes).length === 1
      ? []
      : [invalidValue(path, said, `${path} in body must validate one and only one schema (oneOf)`)]),
    ...(not === undefined || !passes(not)
      ? []
      : [invalidValue(path, said, `${path} in body must not validate the schema (not)`)]),
  ];
};
