/**
 * The JSON schema of a CustomResourceDefinition in protobuf. It contains itself, and several of its fields are one of two
 * things, so it is read by rules of its own instead of the data of the built-in types.
 */
import type { Fields } from '../../store/object.ts';
import { badRequest } from '../refusal.ts';
import { readFieldsOfMessage, readInt, readText, type WireField } from './protobuf-wire.ts';

/** All values of one field, in their order; there is at least one. */
type ReadField = (values: readonly WireField[]) => unknown;

const wrongType = () => badRequest('a protobuf field of a JSON schema has the wrong type');

const lastOf = (values: readonly WireField[]): WireField['value'] => values.at(-1)?.value ?? 0n;

const bytesOf = (value: WireField['value']): Buffer => {
  if (typeof value === 'bigint') throw wrongType();
  return value;
};

const partsOf = (value: WireField['value'], number: number): readonly WireField[] =>
  readFieldsOfMessage(bytesOf(value)).filter((field) => field.number === number);

const numberOf = (value: WireField['value']): bigint => {
  if (typeof value !== 'bigint') throw wrongType();
  return value;
};

const doubleOf = (value: WireField['value']): number => {
  const bytes = bytesOf(value);
  if (bytes.length !== 8) throw wrongType();
  return bytes.readDoubleLE();
};

/** Bytes of JSON, wrapped. */
const jsonOf = (value: WireField['value']): unknown => {
  const [found] = partsOf(value, 1);
  const raw = found === undefined ? 'null' : readText(bytesOf(found.value));
  try {
    return JSON.parse(raw);
  } catch {
    throw badRequest(`a default, an example or an enum of a JSON schema is no JSON: ${raw.slice(0, 30)}`);
  }
};

const text: ReadField = (values) => readText(bytesOf(lastOf(values)));
const flag: ReadField = (values) => numberOf(lastOf(values)) !== 0n;
const int: ReadField = (values) => readInt(numberOf(lastOf(values)));
const double: ReadField = (values) => doubleOf(lastOf(values));
const json: ReadField = (values) => jsonOf(lastOf(values));
const schema: ReadField = (values) => readJsonSchema(bytesOf(lastOf(values)));
const texts: ReadField = (values) => values.map(({ value }) => readText(bytesOf(value)));
const jsons: ReadField = (values) => values.map(({ value }) => jsonOf(value));
const schemas: ReadField = (values) => values.map(({ value }) => readJsonSchema(bytesOf(value)));

const mapOf =
  (read: ReadField): ReadField =>
  (values) =>
    Object.fromEntries(values.map(({ value }) => [text(partsOf(value, 1)), read(partsOf(value, 2))]));

/** One schema, or the other thing that may stand in its place. */
const schemaOr =
  (numbers: { readonly schema: number; readonly other: number }, other: ReadField): ReadField =>
  (values) => {
    const found = partsOf(lastOf(values), numbers.schema);
    return found.length > 0 ? schema(found) : other(partsOf(lastOf(values), numbers.other));
  };

const schemaOrList = schemaOr({ schema: 1, other: 2 }, schemas);
const schemaOrFlag = schemaOr({ schema: 2, other: 1 }, (values) => values.length > 0 && flag(values));
const schemaOrTexts = schemaOr({ schema: 1, other: 2 }, texts);

type Table = Readonly<Record<number, readonly [name: string, read: ReadField]>>;

const RULE: Table = {
  ...{ 1: ['rule', text], 2: ['message', text], 3: ['messageExpression', text], 4: ['reason', text] },
  ...{ 5: ['fieldPath', text], 6: ['optionalOldSelf', flag] },
};

const DOCUMENTATION: Table = { 1: ['description', text], 2: ['url', text] };

const SCHEMA: Table = {
  ...{ 1: ['id', text], 2: ['$schema', text], 3: ['$ref', text], 4: ['description', text], 5: ['type', text] },
  ...{ 6: ['format', text], 7: ['title', text], 8: ['default', json], 9: ['maximum', double] },
  ...{ 10: ['exclusiveMaximum', flag], 11: ['minimum', double], 12: ['exclusiveMinimum', flag] },
  ...{ 13: ['maxLength', int], 14: ['minLength', int], 15: ['pattern', text], 16: ['maxItems', int] },
  ...{ 17: ['minItems', int], 18: ['uniqueItems', flag], 19: ['multipleOf', double], 20: ['enum', jsons] },
  ...{ 21: ['maxProperties', int], 22: ['minProperties', int], 23: ['required', texts], 24: ['items', schemaOrList] },
  ...{ 25: ['allOf', schemas], 26: ['oneOf', schemas], 27: ['anyOf', schemas], 28: ['not', schema] },
  ...{ 29: ['properties', mapOf(schema)], 30: ['additionalProperties', schemaOrFlag] },
  ...{ 31: ['patternProperties', mapOf(schema)], 32: ['dependencies', mapOf(schemaOrTexts)] },
  ...{ 33: ['additionalItems', schemaOrFlag], 34: ['definitions', mapOf(schema)] },
  35: ['externalDocs', (values) => readByTable(bytesOf(lastOf(values)), DOCUMENTATION)],
  ...{ 36: ['example', json], 37: ['nullable', flag], 38: ['x-kubernetes-preserve-unknown-fields', flag] },
  ...{ 39: ['x-kubernetes-embedded-resource', flag], 40: ['x-kubernetes-int-or-string', flag] },
  ...{ 41: ['x-kubernetes-list-map-keys', texts], 42: ['x-kubernetes-list-type', text] },
  43: ['x-kubernetes-map-type', text],
  44: ['x-kubernetes-validations', (values) => values.map(({ value }) => readByTable(bytesOf(value), RULE))],
};

/** The schema that the message stands for; zeros that its JSON leaves out are left out. */
export const readJsonSchema = (message: Buffer): Fields => readByTable(message, SCHEMA);

/** Of these zero is not the same as absent. */
const ZERO_COUNTS = [
  ...[
    '$ref',
    'default',
    'example',
    'maximum',
    'minimum',
    'multipleOf',
    'maxLength',
    'minLength',
    'maxItems',
    'minItems',
  ],
  ...['maxProperties', 'minProperties', 'additionalProperties', 'additionalItems', 'rule', 'reason', 'optionalOldSelf'],
  ...['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-list-type', 'x-kubernetes-map-type'],
];

const isZero = (value: unknown): boolean => value === '' || value === false || value === 0;

const readByTable = (message: Buffer, table: Table): Fields => {
  const fields: Record<string, unknown> = {};
  for (const [number, values] of Map.groupBy(readFieldsOfMessage(message), (field) => field.number)) {
    const row = table[number];
    if (row === undefined) {
      throw badRequest(`field ${number} of JSONSchemaProps is not known here: send the object as application/json`);
    }
    const [name, read] = row;
    const value = read(values);
    if (!isZero(value) || ZERO_COUNTS.includes(name)) fields[name] = value;
  }
  return fields;
};
