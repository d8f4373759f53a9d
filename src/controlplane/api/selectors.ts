/** Label and field selectors: text in, a question about an object out. */
import { isRecord } from '../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../store/object.ts';
import { valueAt } from './json-path.ts';
import { labelValue, qualifiedName } from './kinds/checks/names.ts';
import { badRequest } from './refusal.ts';

export type Matches = (object: StoredObject) => boolean;

const matchAll: Matches = () => true;

type Labels = Readonly<Record<string, unknown>>;
type LabelTest = (labels: Labels) => boolean;

const WORD = /^[^\s,()=!<>]+/;
const OPERATOR = /^(==|=|!=|<|>)/;

export const parseLabelSelector = (text: string): Matches => {
  if (text.trim() === '') return matchAll;
  const tests: LabelTest[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const { test, left } = readRequirement(rest);
    tests.push(test);
    if (left === '') break;
    if (!left.startsWith(','))
      throw badRequest(`unable to parse requirement: found '${wordAt(left)}', expected: ',' or 'end of string'`);
    rest = left.slice(1).trim();
    if (rest === '') throw badRequest("found '', expected: identifier after ','");
  }
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
};

const wordAt = (text: string): string => (OPERATOR.exec(text) ?? WORD.exec(text))?.[0] ?? text.slice(0, 1);

interface Read<T> {
  readonly left: string;
  readonly test: T;
}

const readRequirement = (text: string): Read<LabelTest> => {
  const isNegated = text.startsWith('!') && !text.startsWith('!=');
  const from = isNegated ? text.slice(1).trim() : text;
  const key = WORD.exec(from)?.[0];
  if (key === undefined) throw badRequest(`found '${wordAt(from)}', expected: !, identifier, or 'end of string'`);
  for (const why of qualifiedName(key))
    throw badRequest(`unable to parse requirement: <nil>: Invalid value: "${key}": ${why}`);
  const left = from.slice(key.length).trim();
  if (isNegated) return { left, test: (labels) => !Object.hasOwn(labels, key) };
  if (left === '' || left.startsWith(',')) return { left, test: (labels) => Object.hasOwn(labels, key) };
  const operator = OPERATOR.exec(left)?.[0];
  if (operator !== undefined) return readComparison(key, operator, left.slice(operator.length).trim());
  const [, word, after = ''] = /^(in|notin)\b\s*(.*)$/s.exec(left) ?? [];
  if (word === undefined) {
    throw badRequest(`unable to parse requirement: found '${wordAt(left)}', expected: in, notin, =, ==, !=, gt, lt`);
  }
  return readSet(key, word === 'in' ? 'is' : 'not', after);
};

const readComparison = (key: string, operator: string, rest: string): Read<LabelTest> => {
  const value = WORD.exec(rest)?.[0] ?? '';
  const left = rest.slice(value.length).trim();
  if (operator === '<' || operator === '>') {
    if (!/^-?\d+$/.test(value)) {
      throw badRequest(
        `unable to parse requirement: values[0][${key}]: Invalid value: "${value}": for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
    const bound = Number(value);
    const isOn = operator === '<' ? (number: number) => number < bound : (number: number) => number > bound;
    return { left, test: (labels) => Object.hasOwn(labels, key) && isOn(Number.parseInt(String(labels[key]), 10)) };
  }
  for (const why of labelValue(value)) {
    throw badRequest(`unable to parse requirement: values[0][${key}]: Invalid value: "${value}": ${why}`);
  }
  return { left, test: oneOf(key, [value], operator === '!=' ? 'not' : 'is') };
};

const readSet = (key: string, sense: 'is' | 'not', text: string): Read<LabelTest> => {
  if (!text.startsWith('(')) throw badRequest(`unable to parse requirement: found '${wordAt(text)}' expected: '('`);
  const end = text.indexOf(')');
  if (end < 0) throw badRequest("unable to parse requirement: found '', expected: ',' or ')'");
  const values = text
    .slice(1, end)
    .split(',')
    .map((value) => value.trim());
  return { left: text.slice(end + 1).trim(), test: oneOf(key, values, sense) };
};

const oneOf = (key: string, values: readonly unknown[], sense: 'is' | 'not'): LabelTest =>
  sense === 'is'
    ? (labels) => Object.hasOwn(labels, key) && values.includes(labels[key])
    : (labels) => !Object.hasOwn(labels, key) || !values.includes(labels[key]);

/** Whether a LabelSelector object selects those labels. An empty one selects everything. */
export const matchesSelector = (selector: Fields, labels: Labels): boolean => {
  const { matchLabels, matchExpressions } = selector;
  const isEqual = Object.entries(fieldsOf(matchLabels)).every(([key, value]) => labels[key] === value);
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.filter(isRecord) : [];
  return isEqual && expressions.every((one) => expressionTest(one)(labels));
};

const expressionTest = ({ key, operator, values }: Fields): LabelTest => {
  const name = String(key);
  const list = Array.isArray(values) ? values : [];
  switch (operator) {
    case 'In':
      return oneOf(name, list, 'is');
    case 'NotIn':
      return oneOf(name, list, 'not');
    case 'Exists':
      return (labels) => Object.hasOwn(labels, name);
    case 'DoesNotExist':
      return (labels) => !Object.hasOwn(labels, name);
    default:
      return () => false;
  }
};

/** A LabelSelector object as the text that a client sends: `a=b,c in (d,e)`. */
export const renderSelector = (selector: Fields): string => {
  const { matchLabels, matchExpressions } = selector;
  const equals = Object.entries(fieldsOf(matchLabels)).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = (Array.isArray(matchExpressions) ? matchExpressions.filter(isRecord) : []).map(
    ({ key, operator, values }) => {
      const listed = `(${(Array.isArray(values) ? values : []).join(',')})`;
      if (operator === 'In' || operator === 'NotIn') return `${String(key)} ${operator.toLowerCase()} ${listed}`;
      return operator === 'DoesNotExist' ? `!${String(key)}` : String(key);
    },
  );
  return [...equals, ...expressions].toSorted().join(',');
};

/** Fields that every kind can be selected by; a kind names its others. */
const COMMON_FIELDS = ['metadata.name', 'metadata.namespace'];

/** An absent field reads as the empty text, as with a real API server. */
export const parseFieldSelector = (text: string, kindFields: readonly string[]): Matches => {
  if (text.trim() === '') return matchAll;
  const tests = text.split(',').map((part): Matches => {
    const [, field = '', operator, value = ''] = /^\s*([^=!]*?)\s*(==|=|!=)(.*)$/.exec(part) ?? [];
    if (operator === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    if (!COMMON_FIELDS.includes(field) && !kindFields.includes(field)) throw unknownField(field, kindFields);
    const names = field.split('.');
    const wanted = value.trim();
    const textOf = (object: StoredObject): string => String(fieldAt(object, names) ?? defaultOf(field));
    return operator === '!=' ? (object) => textOf(object) !== wanted : (object) => textOf(object) === wanted;
  });
  return (object) => tests.every((test) => test(object));
};

/** The source of an Event is its component, or whoever reports it. */
const fieldAt = (object: StoredObject, names: readonly string[]): unknown =>
  names[0] === 'source' && names.length === 1
    ? valueAt(object, ['source', 'component']) || object['reportingComponent']
    : valueAt(object, names);

/** What a field that is absent reads as, where that is not nothing. */
const defaultOf = (field: string): string =>
  field === 'spec.unschedulable' ? 'false' : field === 'status.successful' ? '0' : '';

const unknownField = (field: string, kindFields: readonly string[]) =>
  kindFields.length === 0
    ? badRequest(`${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`)
    : badRequest(`field label not supported: ${field}`);
