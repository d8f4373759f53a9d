/**
 * Bodies in Kubernetes' protobuf, which `kubectl create namespace`, `drain` and `auth can-i` send whatever the server says it
 * takes. They are turned into the JSON they stand for, by the numbers in the data of the built-in types. Answers are always
 * JSON, which every client takes.
 */
import { type Fields, fieldsOf } from '../../store/object.ts';
import type { ApiRequest } from '../http.ts';
import type { TypeBook } from '../kinds/types/builtin-schema.ts';
import { badRequest } from '../refusal.ts';
import type { Schema } from '../schema/schema.ts';
import { decode } from './decode.ts';
import { readJsonSchema } from './protobuf-json-schema.ts';
import { readFieldsOfMessage, readInt, readText, type WireField } from './protobuf-wire.ts';

/** Every body begins so. */
const MAGIC = Buffer.from('k8s\0');

/** The type in the data for an apiVersion and kind: the group's first word before the kind, but for the core group. */
const typeNameOf = (apiVersion: string, kind: string): string => {
  if (kind === 'DeleteOptions') return 'meta.DeleteOptions';
  return apiVersion.includes('/') ? `${apiVersion.split(/[./]/)[0]}.${kind}` : kind;
};

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** The request with its body as JSON; others as they are. */
export const withJsonBody = (request: ApiRequest, book: TypeBook): ApiRequest => {
  const { body, headers } = request;
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim();
  if (type !== PROTOBUF || body === undefined || body.length === 0) return request;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const json = JSON.stringify(parseProtobuf(bytes, book));
  return { ...request, headers: { ...headers, 'content-type': 'application/json' }, body: json };
};

/** The object that the body stands for. What cannot be read to the end is refused whole. */
const parseProtobuf = (body: Uint8Array, book: TypeBook): Fields => {
  const bytes = Buffer.from(body);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const envelope = readFieldsOfMessage(bytes.subarray(MAGIC.length));
  const names = readFieldsOfMessage(bytesOf(envelope, 1));
  const [apiVersion, kind] = [readText(bytesOf(names, 1)), readText(bytesOf(names, 2))];
  const schema = book(typeNameOf(apiVersion, kind));
  if (schema.numbers === undefined) {
    throw badRequest(`${kind} in version ${apiVersion} cannot be read as protobuf here: send it as application/json`);
  }
  const fields = { apiVersion, kind, ...toFields(bytesOf(envelope, 2), schema) };
  // Protobuf says zeros that JSON leaves out.
  return fieldsOf(decode(fields, schema, badRequest).value);
};

const bytesOf = (fields: readonly WireField[], number: number): Buffer => {
  const found = fields.findLast((field) => field.number === number);
  return found === undefined || typeof found.value === 'bigint' ? Buffer.alloc(0) : found.value;
};

const toFields = (message: Buffer, schema: Schema): Fields => {
  const fields: Record<string, unknown> = {};
  const byNumber = Map.groupBy(readFieldsOfMessage(message), ({ number }) => number);
  for (const [number, values] of byNumber) {
    const name = schema.numbers?.get(number);
    if (name === undefined)
      throw badRequest(
        `field ${number} of ${schema.typeName ?? 'a type'} is not known here: send the object as application/json`,
      );
    const wrapped = schema.wrappers?.get(name);
    if (wrapped !== undefined) Object.assign(fields, toFields(bytesOf(values, number), wrapped()));
    else fields[name] = toValue(values, schema.properties?.[name] ?? {});
  }
  return fields;
};

/** A list or map comes as one field for each of its items; of anything else the last one counts. */
const toValue = (values: readonly WireField[], schema: Schema): unknown => {
  const { items, additionalProperties } = schema;
  if (items !== undefined) return values.map((value) => toSingle(value, items));
  if (typeof additionalProperties === 'object') {
    return Object.fromEntries(
      values.map((value) => toEntry(readFieldsOfMessage(toBytes(value)), additionalProperties)),
    );
  }
  const last = values.at(-1);
  return last === undefined ? undefined : toSingle(last, schema);
};

const toEntry = (entry: readonly WireField[], values: Schema): readonly [string, unknown] => {
  const value = entry.filter(({ number }) => number === 2);
  const key = readText(bytesOf(entry, 1));
  // A list as the value of a map is wrapped: its items are field 1 of a message of their own.
  if (values.items === undefined) return [key, toValue(value, values)];
  return [key, toValue(readFieldsOfMessage(bytesOf(entry, 2)), values)];
};

const toBytes = ({ value }: WireField): Buffer => {
  if (typeof value !== 'bigint') return value;
  throw badRequest('a protobuf field has the wrong type');
};

const toSingle = (field: WireField, schema: Schema): unknown => {
  const { value } = field;
  if (schema.numbers !== undefined) return toFields(toBytes(field), schema);
  if (schema.goType === 'runtime.RawExtension')
    return JSON.parse(readText(bytesOf(readFieldsOfMessage(toBytes(field)), 1)) || 'null');
  if (schema.goType === 'v1.JSONSchemaProps') return readJsonSchema(toBytes(field));
  if (schema.goType === 'resource.Quantity') return readText(bytesOf(readFieldsOfMessage(toBytes(field)), 1));
  if (schema.goType === 'intstr.IntOrString') return toIntOrString(readFieldsOfMessage(toBytes(field)));
  if (schema.format === 'date-time') return toTime(readFieldsOfMessage(toBytes(field)), schema);
  if (schema.format === 'byte') return toBytes(field).toString('base64');
  if (typeof value !== 'bigint') return readText(value);
  return schema.type === 'boolean' ? value !== 0n : readInt(value);
};

const intOf = (fields: readonly WireField[], number: number): number => {
  const found = fields.findLast((field) => field.number === number)?.value;
  return typeof found === 'bigint' ? readInt(found) : 0;
};

const toIntOrString = (fields: readonly WireField[]): unknown =>
  intOf(fields, 1) === 0 ? intOf(fields, 2) : readText(bytesOf(fields, 3));

/** The zero time is no time. */
const toTime = (fields: readonly WireField[], { goType }: Schema): unknown => {
  if (fields.length === 0) return null;
  const [seconds, nanos] = [intOf(fields, 1), intOf(fields, 2)];
  if (seconds < 0 && nanos === 0) return null;
  const whole = new Date(seconds * 1_000).toISOString().slice(0, 19);
  return goType === 'v1.MicroTime' ? `${whole}.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z` : `${whole}Z`;
};
