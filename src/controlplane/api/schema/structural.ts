/** Whether a CRD's schema is structural: every part has a type, so that objects can be pruned, filled and merged by it. */
import { isRecord } from '../../../base/json.ts';
import { forbiddenField, invalidValue, type Problem, required } from '../refusal.ts';
import { createPatternBook } from './patterns.ts';
import { isNone, type Schema } from './schema.ts';
import { validate } from './validate.ts';

const isFree = (schema: Schema): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;

export const checkStructure = (schema: Schema, path: string): readonly Problem[] => {
  const root = schema.type === 'object' ? [] : [rootType(schema, path)];
  return [...root, ...checkNode(schema, path)];
};

const rootType = ({ type }: Schema, path: string): Problem =>
  type === undefined || type === ''
    ? required(`${path}.type`, 'must not be empty at the root')
    : invalidValue(`${path}.type`, type, 'must be object at the root');

const FORBIDDEN = [
  '$ref',
  'definitions',
  'dependencies',
  'deprecated',
  'discriminator',
  'id',
  'patternProperties',
  'readOnly',
  'writeOnly',
  'xml',
];
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const checkNode = (schema: Schema, path: string): readonly Problem[] => {
  const { type, properties = {}, items, additionalProperties } = schema;
  const problems: Problem[] = FORBIDDEN.filter((name) => Object.hasOwn(schema, name)).map((name) =>
    forbiddenField(`${path}.${name}`, 'is not supported'),
  );
  if (schema.uniqueItems === true) {
    problems.push(
      forbiddenField(
        `${path}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  }
  if (type !== undefined && type !== '' && !TYPES.includes(type)) {
    problems.push(invalidValue(`${path}.type`, type, `must be one of ${TYPES.join(', ')}`));
  }
  if (Object.keys(properties).length > 0 && additionalProperties !== undefined) {
    problems.push(
      forbiddenField(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (type === 'array' && items === undefined) problems.push(required(`${path}.items`, 'must be specified'));
  problems.push(...checkListType(schema, path), ...checkDefault(schema, path));
  const children: readonly (readonly [string, Schema, string])[] = [
    ...Object.entries(properties).map(
      ([name, child]) => [`${path}.properties[${name}]`, child, 'specified object fields'] as const,
    ),
    ...(isRecord(items) ? [[`${path}.items`, items, 'specified array items'] as const] : []),
    ...(typeof additionalProperties === 'object'
      ? [[`${path}.additionalProperties`, additionalProperties, 'specified object fields'] as const]
      : []),
  ];
  return [...problems, ...children.flatMap((child) => checkChild(...child))];
};

const checkChild = (path: string, schema: Schema, where: string): readonly Problem[] => {
  const isUntyped = (schema.type === undefined || schema.type === '') && !isFree(schema);
  return [
    ...(isUntyped ? [required(`${path}.type`, `must not be empty for ${where}`)] : []),
    ...checkNode(schema, path),
  ];
};

const checkListType = (schema: Schema, path: string): readonly Problem[] => {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType === undefined) return [];
  if (!['atomic', 'set', 'map'].includes(listType)) {
    return [invalidValue(`${path}.x-kubernetes-list-type`, listType, 'must be one of atomic, map, set')];
  }
  if (listType !== 'map') return [];
  if (keys === undefined || keys.length === 0) {
    return [required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map')];
  }
  const { properties = {}, required: needed = [] } = schema.items ?? {};
  return keys.flatMap((key) => {
    if (!Object.hasOwn(properties, key)) {
      return [invalidValue(`${path}.x-kubernetes-list-map-keys`, key, 'entries must all be names of item properties')];
    }
    if (needed.includes(key) || !isNone(properties[key]?.default)) return [];
    const field = `${path}.items.properties[${key}].default`;
    return [
      required(
        field,
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ),
    ];
  });
};

const checkDefault = (schema: Schema, path: string): readonly Problem[] => {
  if (schema.default === undefined) return [];
  const place = { path: `${path}.default`, old: undefined, patterns: createPatternBook() };
  return validate(schema.default, schema, place);
};
