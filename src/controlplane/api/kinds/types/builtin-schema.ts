/**
 * The fields of the built-in kinds, as schemas: one source for what is decoded, pruned, merged, explained and owned. The
 * data beside this file says each type in one line. It is written by tools/builtin-types.ts, from the OpenAPI documents of a
 * real kube-apiserver 1.36:
 *
 *     name@7?*+:type=default    `@7` its number in protobuf, `?` zero is not the same as absent, `*` required, `+` a struct that
 *     is always there; `>name@7:type` the fields of that type stand here themselves, only protobuf wraps them. Types:
 *     string int32 int64 bool double bytes time microtime quantity intstr any jsonschema, or the name of another line
 *     []T one piece · [a,b]T keyed by a and b · [=]T a set · [~a]T keyed for strategic merge alone · {}T a map · !T one piece
 */
import type { Schema } from '../../schema/schema.ts';
import TYPES from './builtin-types.json' with { type: 'json' };

/** The schema of a type by its name in the data; made at the first question, and then the same one. */
export type TypeBook = (name: string) => Schema;

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: 'string', goType: 'string' },
  int32: { type: 'integer', format: 'int32', goType: 'int32' },
  int64: { type: 'integer', format: 'int64', goType: 'int64' },
  bool: { type: 'boolean', goType: 'bool' },
  double: { type: 'number', format: 'double', goType: 'float64' },
  bytes: { type: 'string', format: 'byte', goType: '[]uint8' },
  time: { type: 'string', format: 'date-time', goType: 'v1.Time' },
  microtime: { type: 'string', format: 'date-time', goType: 'v1.MicroTime' },
  quantity: { 'x-kubernetes-int-or-string': true, format: 'quantity', goType: 'resource.Quantity' },
  intstr: { 'x-kubernetes-int-or-string': true, format: 'int-or-string', goType: 'intstr.IntOrString' },
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, goType: 'runtime.RawExtension' },
  jsonschema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, goType: 'v1.JSONSchemaProps' },
};

const FIELD = /^(>?)([^:@?*+]+)(?:@(\d+))?(\??)(\*?)(\+?):((?:\[[^\]]*\]|[^=])*)(?:=(.*))?$/;
const LIST = /^\[([^\]]*)\](.*)$/;

export const createTypeBook = (): TypeBook => {
  const lines = new Map(Object.entries(TYPES));
  const known = new Map<string, Schema>(Object.entries(SCALARS));
  const book: TypeBook = (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const line = lines.get(name);
    const made = line === undefined ? (SCALARS['any'] ?? {}) : toSchema(name, line, book);
    known.set(name, made);
    return made;
  };
  return book;
};

const toSchema = (name: string, line: string, book: TypeBook): Schema => {
  const words = line.split(' ').filter((word) => word !== '' && word !== '!');
  const all = words.map(parseField);
  const fields = all.filter(({ isWrapper }) => !isWrapper);
  let properties: Readonly<Record<string, Schema>> | undefined;
  const required = fields.filter((field) => field.isRequired).map((field) => field.name);
  return {
    type: 'object',
    goType: `v1.${goNameOf(name)}`,
    typeName: name,
    ...(line.startsWith('!') && { 'x-kubernetes-map-type': 'atomic' }),
    ...(required.length > 0 && { required }),
    numbers: new Map(all.flatMap(({ name: field, number }) => (number === undefined ? [] : [[number, field]]))),
    wrappers: new Map(all.filter(({ isWrapper }) => isWrapper).map((field) => [field.name, () => book(field.type)])),
    zeroCounts: fields.filter((field) => field.isZeroCounted || field.isRequired).map((field) => field.name),
    alwaysThere: fields.filter((field) => field.isAlwaysThere || field.isRequired).map((field) => field.name),
    get properties() {
      properties ??= Object.fromEntries(fields.map((field) => [field.name, schemaOfField(field, book)]));
      return properties;
    },
  };
};

const goNameOf = (name: string): string => name.split('.').at(-1) ?? name;

interface Field {
  readonly name: string;
  readonly isWrapper: boolean;
  readonly number: number | undefined;
  readonly isZeroCounted: boolean;
  readonly isRequired: boolean;
  readonly isAlwaysThere: boolean;
  readonly type: string;
  readonly fallback: string | undefined;
}

const parseField = (word: string): Field => {
  const [, wrapper, name = word, number, zero, star, plus, type = 'any', fallback] = FIELD.exec(word) ?? [];
  return {
    name,
    isWrapper: wrapper === '>',
    number: number === undefined ? undefined : Number(number),
    isZeroCounted: zero === '?',
    isRequired: star === '*',
    isAlwaysThere: plus === '+',
    type,
    fallback,
  };
};

const schemaOfField = ({ type, fallback }: Field, book: TypeBook): Schema => {
  const schema = schemaOfType(type, book);
  return fallback === undefined ? schema : { ...schema, default: fallback };
};

const schemaOfType = (type: string, book: TypeBook): Schema => {
  if (type.startsWith('!')) return { ...schemaOfType(type.slice(1), book), 'x-kubernetes-map-type': 'atomic' };
  if (type.startsWith('{}')) {
    const values = schemaOfType(type.slice(2), book);
    return { type: 'object', additionalProperties: values, goType: `map[string]${values.goType ?? ''}` };
  }
  const [, how, inner] = LIST.exec(type) ?? [];
  if (how === undefined || inner === undefined) return book(type);
  const items = schemaOfType(inner, book);
  return { type: 'array', items, goType: `[]${items.goType ?? ''}`, ...listTypeOf(how) };
};

const listTypeOf = (how: string): Partial<Schema> => {
  if (how === '') return {};
  if (how === '=') return { 'x-kubernetes-list-type': 'set' };
  if (how.startsWith('~')) return { 'x-kubernetes-patch-merge-key': how.slice(1) };
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': how.split(',') };
};
