/** Checks of texts and numbers against a schema. */
import { parseTimestamp } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import { invalidValue, type Problem, tooLong } from '../refusal.ts';
import type { JudgedPlace } from './place.ts';
import type { Schema } from './schema.ts';

/** Of a text so long that it could not be judged. */
const SHOWN_MAX = 100;

export const checkScalar = (value: unknown, schema: Schema, place: JudgedPlace): readonly Problem[] => {
  if (typeof value === 'string') return checkText(value, schema, place);
  if (typeof value === 'number') return checkNumber(value, schema, place.path);
  return [];
};

const checkText = (value: string, schema: Schema, place: JudgedPlace): readonly Problem[] => {
  const { path } = place;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format = '' } = schema;
  const length = [...value].length;
  const problems: Problem[] = [];
  if (length < minLength)
    problems.push(invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`));
  if (length > maxLength) {
    problems.push(tooLong(path, maxLength));
  }
  if (pattern !== undefined) problems.push(...checkPattern(value, pattern, place));
  if (FORMATS[format]?.(value) === false) {
    problems.push(wrongFormat(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`));
  }
  return problems;
};

const checkPattern = (value: string, pattern: string, { path, patterns }: JudgedPlace): readonly Problem[] => {
  try {
    if (patterns(pattern)?.test(value) !== false) return [];
    return [invalidValue(path, value, `${path} in body should match '${pattern}'`)];
  } catch (thrown) {
    const shown = value.slice(0, SHOWN_MAX);
    return [invalidValue(path, shown, `${path} in body cannot be held against '${pattern}': ${messageOf(thrown)}`)];
  }
};

/** A value of another format is of another type. */
const wrongFormat = (path: string, value: unknown, why: string): Problem => ({
  ...invalidValue(path, value, why),
  reason: 'FieldValueTypeInvalid',
});

/** Formats that are not known are not checked, as with a real API server. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => parseTimestamp(text) !== undefined,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uri: (text) => URL.canParse(text),
  ipv4: (text) => /^\d+\.\d+\.\d+\.\d+$/.test(text) && URL.canParse(`http://${text}/`),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
};

const INT32_MAX = 2 ** 31 - 1;

const checkNumber = (value: number, schema: Schema, path: string): readonly Problem[] => {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf, format } = schema;
  const problems: Problem[] = [];
  const say = (why: string): void => void problems.push(invalidValue(path, value, `${path} in body should be ${why}`));
  if (schema.exclusiveMinimum === true ? value <= minimum : value < minimum) {
    say(`greater than ${schema.exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`);
  }
  if (schema.exclusiveMaximum === true ? value >= maximum : value > maximum) {
    say(`less than ${schema.exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`);
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) say(`a multiple of ${multipleOf}`);
  if (format === 'int32' && (value > INT32_MAX || value < -INT32_MAX - 1)) {
    problems.push(wrongFormat(path, value, `${path} in body must be of type int32: "${value}"`));
  }
  return problems;
};
