/**
 * Turns what a client sent into an object of a built-in kind, as Go's decoder would: a field of the wrong type is refused,
 * one that the kind does not have is dropped and reported, null is the same as absent.
 */
import { canonicalQuantity } from '../../../base/canonical-quantity.ts';
import { isRecord } from '../../../base/json.ts';
import { parseQuantity } from '../../../base/quantity.ts';
import { type Fields, fieldsOf } from '../../store/object.ts';
import { QUANTITY_RULE } from '../kinds/checks/quantity.ts';
import type { ApiRefusal } from '../refusal.ts';
import { mapFields, mapItems } from '../schema/rebuild.ts';
import type { Schema } from '../schema/schema.ts';

export interface Decoded {
  readonly value: unknown;
  /** Paths of fields that were dropped: `spec.containers[0].imag`. */
  readonly unknown: readonly string[];
}

/** What to throw when a value cannot be what the kind says it is. */
export type Refuse = (why: string) => ApiRefusal;

/** Of an object whose other fields are free: its metadata decoded, the rest as it is. */
export const decodeMetadata = (value: Fields, metadata: Schema, refuse: Refuse): Decoded => {
  if (value['metadata'] === undefined || value['metadata'] === null) return { value, unknown: [] };
  const { value: decoded, unknown } = decode({ metadata: value['metadata'] }, envelopeOf(metadata), refuse);
  return { value: { ...value, ...fieldsOf(decoded) }, unknown };
};

const envelopeOf = (metadata: Schema): Schema => ({ type: 'object', goType: 'v1.Object', properties: { metadata } });

interface Place {
  /** The Go struct around, and the path of fields without indexes, as Go's messages have them. */
  readonly owner: string;
  readonly field: string;
  readonly path: string;
  readonly unknown: string[];
  readonly refuse: Refuse;
}

export const decode = (value: unknown, schema: Schema, refuse: Refuse): Decoded => {
  const unknown: string[] = [];
  const owner = schema.typeName?.split('.').at(-1) ?? 'Object';
  return { value: decodeValue(value, schema, { owner, field: '', path: '', unknown, refuse }), unknown };
};

const decodeValue = (value: unknown, schema: Schema, place: Place): unknown => {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return value;
  if (schema.type === 'array') return decodeList(value, schema, place);
  if (schema.type === 'object') return decodeMap(value, schema, place);
  if (!isScalarOf(value, schema)) throw wrongType(value, schema, place);
  checkText(value, schema, place);
  // As Go's decoder: an amount has one form, whatever was sent.
  return schema.format === 'quantity' ? canonicalQuantity(String(value)) : value;
};

const isScalarOf = (value: unknown, schema: Schema): boolean => {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return typeof value === 'string' || (typeof value === 'number' && schema.format === 'quantity') || isInt32(value);
  }
  switch (schema.type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return schema.format === 'int32' ? isInt32(value) : typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      return schema.type !== 'boolean' || typeof value === 'boolean';
  }
};

/** Amounts and bytes that cannot be read are no values of their type. */
const checkText = (value: unknown, { format }: Schema, { refuse }: Place): void => {
  if (format === 'quantity' && parseQuantity(value) === undefined) throw refuse(QUANTITY_RULE);
  if (format !== 'byte') return;
  const at = String(value).search(/[^A-Za-z0-9+/=\r\n]/);
  if (at >= 0) throw refuse(`illegal base64 data at input byte ${at}`);
};

const INT32_MAX = 2 ** 31 - 1;

const isInt32 = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value <= INT32_MAX && value >= -INT32_MAX - 1;

const decodeList = (value: unknown, schema: Schema, place: Place): unknown => {
  if (!Array.isArray(value)) throw wrongType(value, schema, place);
  const { items = {} } = schema;
  return mapItems(value, (item, at) =>
    decodeValue(item ?? emptyOf(items), items, { ...place, path: `${place.path}[${at}]` }),
  );
};

const emptyOf = ({ type }: Schema): unknown => (type === 'string' ? '' : type === 'array' ? [] : {});

const decodeMap = (value: unknown, schema: Schema, place: Place): unknown => {
  if (!isRecord(value)) throw wrongType(value, schema, place);
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    return mapFields(value, (name, item) => {
      const below = { ...place, path: `${place.path}.${name}` };
      return decodeValue(item ?? emptyOf(additionalProperties), additionalProperties, below);
    });
  }
  return decodeStruct(value, schema, place);
};

const decodeStruct = (value: Readonly<Record<string, unknown>>, schema: Schema, place: Place): unknown => {
  const { properties = {}, typeName } = schema;
  const owner = typeName?.split('.').at(-1) ?? place.owner;
  return mapFields(value, (name, item) => {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const below = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (below === undefined) {
      place.unknown.push(path);
      return undefined;
    }
    if (item === null || (isUncountedZero(item, below) && schema.zeroCounts?.includes(name) === false))
      return undefined;
    const field = place.field === '' ? name : `${place.field}.${name}`;
    return decodeValue(item, below, { ...place, owner, field, path });
  });
};

/** Where Go leaves a field out because it is zero, it is left out here too. */
const isUncountedZero = (value: unknown, schema: Schema): boolean =>
  (value === '' || value === 0 || value === false) && schema['x-kubernetes-int-or-string'] !== true;

const wordFor = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' && !Number.isInteger(value)) return `number ${value}`;
  return isRecord(value) ? 'object' : typeof value;
};

const wrongType = (value: unknown, { goType = '' }: Schema, { owner, field, refuse }: Place): ApiRefusal =>
  refuse(`json: cannot unmarshal ${wordFor(value)} into Go struct field ${owner}.${field} of type ${goType}`);
