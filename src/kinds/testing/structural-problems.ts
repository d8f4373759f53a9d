/** For tests: what an API server would refuse, or a reviewer would, in the schema of a CRD. */
import { isRecord } from '../../base/json.ts';

const KEYWORDS = new Set([
  'additionalProperties',
  'anyOf',
  'default',
  'description',
  'enum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maximum',
  'minLength',
  'minimum',
  'pattern',
  'properties',
  'required',
  'type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-validations',
]);

const TYPES = ['array', 'boolean', 'integer', 'object', 'string'];
const FORMATS = ['int32', 'int64', 'date-time'];

type Node = Readonly<Record<string, unknown>>;

/** One line per problem, with its path. Empty: none was found. */
export const structuralProblems = (schema: unknown, path = '$'): readonly string[] => {
  if (!isRecord(schema)) return [`${path}: is no schema`];
  const own = [...keywordProblems(schema), ...typeProblems(schema), ...listProblems(schema), ...ruleProblems(schema)];
  const children = childrenOf(schema).flatMap(([name, child]) => structuralProblems(child, `${path}.${name}`));
  return [...own.map((problem) => `${path}: ${problem}`), ...descriptionProblems(schema, path), ...children];
};

const childrenOf = (node: Node): readonly (readonly [string, unknown])[] => [
  ...Object.entries(isRecord(node['properties']) ? node['properties'] : {}),
  ...(node['items'] === undefined ? [] : [['[]', node['items']] as const]),
  ...(node['additionalProperties'] === undefined ? [] : [['*', node['additionalProperties']] as const]),
];

const keywordProblems = (node: Node): readonly string[] => {
  const problems = Object.keys(node)
    .filter((keyword) => !KEYWORDS.has(keyword))
    .map((keyword) => `"${keyword}" has no place in a structural schema`);
  if (node['properties'] !== undefined && node['additionalProperties'] !== undefined) {
    problems.push('properties and additionalProperties exclude each other');
  }
  return problems;
};

const typeProblems = (node: Node): readonly string[] => {
  if (node['x-kubernetes-int-or-string'] === true) {
    const expected = '[{"type":"integer"},{"type":"string"}]';
    return node['type'] === undefined && JSON.stringify(node['anyOf']) === expected ? [] : ['malformed int-or-string'];
  }
  const { type, format } = node;
  const problems: string[] = [];
  if (typeof type !== 'string' || !TYPES.includes(type)) problems.push(`type is ${String(type)}`);
  if (node['anyOf'] !== undefined) problems.push('anyOf');
  if (format !== undefined && !FORMATS.includes(String(format))) problems.push(`unknown format ${String(format)}`);
  if (type === 'integer' && format === undefined) problems.push('an integer without a format');
  if (type === 'array' && node['items'] === undefined) problems.push('an array without items');
  return problems;
};

const listProblems = (node: Node): readonly string[] => {
  if (node['type'] !== 'array') return [];
  if (node['maxItems'] === undefined) return ['a list without maxItems'];
  const listType = node['x-kubernetes-list-type'];
  if (listType === 'atomic') return [];
  if (listType !== 'map') return [`list type ${String(listType)}`];
  const keys = node['x-kubernetes-list-map-keys'];
  if (!Array.isArray(keys) || keys.length === 0) return ['a map list without keys'];
  return keys.filter((key) => !isUsableKey(node['items'], String(key))).map((key) => `key ${key} may be absent`);
};

const isUsableKey = (items: unknown, key: string): boolean => {
  if (!isRecord(items) || !isRecord(items['properties'])) return false;
  const field = items['properties'][key];
  const required = Array.isArray(items['required']) && items['required'].includes(key);
  return isRecord(field) && field['type'] !== 'object' && field['type'] !== 'array' && (required || 'default' in field);
};

const ruleProblems = (node: Node): readonly string[] => {
  const rules = node['x-kubernetes-validations'];
  if (rules === undefined) return [];
  if (!Array.isArray(rules)) return ['rules are no list'];
  return rules
    .filter((rule) => !isRecord(rule) || !rule['rule'] || !rule['message'] || /\n/.test(JSON.stringify(rule)))
    .map((rule) => `a rule without expression or one-line message: ${JSON.stringify(rule)}`);
};

/** The API server fills in the metadata of the object itself, and items are described by their list. */
const descriptionProblems = (node: Node, path: string): readonly string[] => {
  if (path === '$.metadata' || path.endsWith('.[]') || path.endsWith('.*')) return [];
  const { description } = node;
  if (typeof description !== 'string' || description === '') return [`${path}: has no description`];
  const isSentence = /^([A-Z]|macOS).*\.$/.test(description);
  return isSentence ? [] : [`${path}: its description is no sentence: ${description}`];
};
