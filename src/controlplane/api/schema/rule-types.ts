/**
 * The types that a schema gives to `self` and `oldSelf`, so that a rule about a field that is not there, or of another
 * type, refuses the CRD when it is written and not its objects afterwards.
 */
import { type ASTNode, type Environment, ParseError } from '@marcbachmann/cel-js';
import { childrenOf, createCelEnvironment } from '../cel/environment.ts';
import { celNameOf } from './cel-values.ts';
import type { Schema } from './schema.ts';

/** Why the expression does not fit the schema, or gives something else than is wanted; undefined when it is good. */
export type CheckExpression = (expression: string, wanted: 'bool' | 'string') => string | undefined;

export interface RulePlace {
  readonly schema: Schema;
  /** The object itself has more fields than its schema says. */
  readonly isRoot: boolean;
  readonly oldSelf: 'value' | 'optional';
}

/** For the expressions of a rule that stands there. */
export const createExpressionCheck = ({ schema, isRoot, oldSelf }: RulePlace): CheckExpression => {
  const environment = createCelEnvironment({ unlistedVariablesAreDyn: false });
  environment.registerFunction(`${HAS}(dyn): bool`, () => true);
  const self = createDeclarer(environment)(isRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema);
  environment
    .registerVariable('self', self)
    .registerVariable('oldSelf', oldSelf === 'optional' ? `optional<${self}>` : self);
  return (expression, wanted) => checkWith(environment, expression, wanted);
};

/** The implementation lets `has()` ask for any field; an ordinary function may not. */
const HAS = '__has';

const askingFields = (scope: Environment, expression: string): string =>
  hasCallsIn(scope.parse(expression).ast)
    .toSorted((left, right) => right - left)
    .reduce((text, at) => `${text.slice(0, at)}${HAS}${text.slice(at + 'has'.length)}`, expression);

/** Where they begin. */
const hasCallsIn = (node: ASTNode): readonly number[] => [
  ...(node.op === 'call' && node.args[0] === 'has' ? [node.start] : []),
  ...childrenOf(node).flatMap(hasCallsIn),
];

const NOT_THAT = {
  bool: 'cel expression must evaluate to a bool',
  string: 'messageExpression must evaluate to a string',
} as const;

const checkWith = (scope: Environment, expression: string, wanted: 'bool' | 'string'): string | undefined => {
  const written = scope.check(expression);
  const { valid, type = 'dyn', error } = written.valid ? scope.check(askingFields(scope, expression)) : written;
  if (valid) return type === wanted || type === 'dyn' ? undefined : NOT_THAT[wanted];
  if (error === undefined) return 'compilation failed';
  const [, missing] = /^No such key: (.*)$/.exec(error.summary) ?? [];
  const where = `ERROR: <input>:1:${(error.range?.start ?? 0) + 1}`;
  const what = error instanceof ParseError ? `Syntax error: ${error.summary}` : error.summary;
  return `compilation failed: ${where}: ${missing === undefined ? what : `undefined field '${missing}'`}`;
};

const TIMESTAMP = 'google.protobuf.Timestamp';
const TEXT_TYPES: Readonly<Record<string, string>> = {
  byte: 'bytes',
  date: TIMESTAMP,
  'date-time': TIMESTAMP,
  duration: 'google.protobuf.Duration',
};
const METADATA: Schema = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};
const EMBEDDED: Readonly<Record<string, Schema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: METADATA,
};

/** Names the type of a schema, and registers those of the objects in it. */
const createDeclarer = (environment: Environment): ((schema: Schema) => string) => {
  const names = new Map<Schema, string>();
  const declareObject = (schema: Schema): string => {
    const known = names.get(schema);
    if (known !== undefined) return known;
    const name = `object${names.size + 1}`;
    names.set(schema, name);
    const properties = schema['x-kubernetes-embedded-resource'] === true ? EMBEDDED : {};
    const fields = Object.entries({ ...schema.properties, ...properties }).map(([field, child]) => [
      celNameOf(field),
      declare(child),
    ]);
    environment.registerType(name, { fields: Object.fromEntries(fields) });
    environment.registerOperator(`${name} == ${name}`, () => true);
    return name;
  };
  const declare = (schema: Schema): string => {
    if (schema['x-kubernetes-int-or-string'] === true || schema.nullable === true) return 'dyn';
    const { type, format = '', items, additionalProperties } = schema;
    switch (type) {
      case 'string':
        return (Object.hasOwn(TEXT_TYPES, format) ? TEXT_TYPES[format] : undefined) ?? 'string';
      case 'integer':
        return 'int';
      case 'number':
        return 'double';
      case 'boolean':
        return 'bool';
      case 'array':
        return `list<${items === undefined ? 'dyn' : declare(items)}>`;
      case 'object':
        if (typeof additionalProperties === 'object') return `map<string, ${declare(additionalProperties)}>`;
        return declareObject(schema);
      default:
        return 'dyn';
    }
  };
  return declare;
};
