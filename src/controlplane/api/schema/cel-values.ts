/** A value of a CRD's object as its rules see it: of the types that the schema says, under names that CEL can spell. */
import { parse } from '@marcbachmann/cel-js';
import { parseTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import { fieldSchema, type Schema } from './schema.ts';

/** CEL tells integers from doubles, times from texts; the schema says which a value is. */
export type CelReader = (value: unknown, schema: Schema | undefined) => unknown;

/** Of those that were read last. The table of a large fleet grew to megabytes of what was long collected, and an engine makes none smaller. */
const KNOWN_MAX = 4_096;

/** Reads each record once under one schema: the old state of an object was the new one of the write before. */
export const createCelReader = (): CelReader => {
  let known = new WeakMap<object, { readonly schema: Schema | undefined; readonly cel: unknown }>();
  let size = 0;
  const read: CelReader = (value, schema) => {
    if (typeof value === 'number') return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
    if (typeof value === 'string') return toTyped(value, schema);
    if (Array.isArray(value)) return value.map((item) => read(item, schema?.items));
    if (!isRecord(value)) return value;
    const found = known.get(value);
    if (found !== undefined && found.schema === schema) return found.cel;
    const cel = readFields(value, schema, read);
    if (size === KNOWN_MAX) [known, size] = [new WeakMap(), 0];
    known.set(value, { schema, cel });
    size += 1;
    return cel;
  };
  return read;
};

const readFields = (fields: Fields, schema: Schema | undefined, read: CelReader): unknown => {
  const declared = schema?.properties ?? {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, child]) => [
      Object.hasOwn(declared, name) ? celNameOf(name) : name,
      read(child, schema && fieldSchema(schema, name)),
    ]),
  );
};

/** A text that is not what its format says stays a text: the shape's check says so. */
const toTyped = (value: string, schema: Schema | undefined): unknown => {
  if (schema?.nullable === true || schema?.['x-kubernetes-int-or-string'] === true) return value;
  switch (schema?.format) {
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    case 'date':
      return toDate(`${value}T00:00:00Z`) ?? value;
    case 'date-time':
      return toDate(value) ?? value;
    case 'duration':
      return toDuration(value) ?? value;
    default:
      return value;
  }
};

const toDate = (text: string): Date | undefined => {
  const atMs = parseTimestamp(text);
  return atMs === undefined ? undefined : new Date(atMs);
};

/** The implementation makes its durations itself, and shows nobody how. */
const readDuration = parse('duration(text)');

const toDuration = (text: string): unknown => {
  try {
    return readDuration({ text });
  } catch {
    return undefined;
  }
};

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: Readonly<Record<string, string>> = { '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** How a rule spells the name of a field. */
export const celNameOf = (name: string): string => {
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll('__', '__underscores__').replaceAll(/[./-]/g, (sign) => ESCAPES[sign] ?? sign);
};
