/** Label and field selectors: text in, a question about an object out. */
import type { StoredObject } from '../store/object.ts';
import { valueAt } from './json-path.ts';
import { badRequest } from './refusal.ts';

export type Matches = (object: StoredObject) => boolean;

const matchAll: Matches = () => true;

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

const LABEL_KEY = '[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?';
const EXISTS = new RegExp(`^(!?)\\s*(${LABEL_KEY})$`);
const EQUALS = new RegExp(`^(${LABEL_KEY})\\s*(==|=|!=)\\s*([\\w.-]*)$`);
const IN_SET = new RegExp(`^(${LABEL_KEY})\\s+(in|notin)\\s*\\(([^()]*)\\)$`);

export const parseLabelSelector = (text: string): Matches => {
  if (text.trim() === '') return matchAll;
  const tests = splitOutsideParentheses(text).map((part) => parseLabelTest(part.trim(), text));
  return ({ metadata }) => tests.every((test) => test(metadata.labels ?? {}));
};

const parseLabelTest = (part: string, whole: string): LabelTest => {
  const exists = EXISTS.exec(part);
  if (exists?.[2] !== undefined) {
    const key = exists[2];
    return exists[1] === '!' ? (labels) => !Object.hasOwn(labels, key) : (labels) => Object.hasOwn(labels, key);
  }
  const equals = EQUALS.exec(part);
  if (equals?.[1] !== undefined) return oneOf(equals[1], [equals[3] ?? ''], equals[2] === '!=' ? 'not' : 'is');
  const inSet = IN_SET.exec(part);
  if (inSet?.[1] !== undefined) {
    const values = (inSet[3] ?? '').split(',').map((value) => value.trim());
    return oneOf(inSet[1], values, inSet[2] === 'notin' ? 'not' : 'is');
  }
  throw badRequest(`unable to parse requirement: ${JSON.stringify(part)} in label selector ${JSON.stringify(whole)}`);
};

const oneOf = (key: string, values: readonly string[], sense: 'is' | 'not'): LabelTest =>
  sense === 'is'
    ? (labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '')
    : (labels) => !Object.hasOwn(labels, key) || !values.includes(labels[key] ?? '');

const splitOutsideParentheses = (text: string): readonly string[] => text.split(/,(?![^(]*\))/);

/** Fields that every kind can be selected by; a kind names its others. */
const COMMON_FIELDS = ['metadata.name', 'metadata.namespace'];

/** An absent field reads as the empty text, as with a real API server. */
export const parseFieldSelector = (text: string, kindFields: readonly string[]): Matches => {
  if (text.trim() === '') return matchAll;
  const tests = text.split(',').map((part): Matches => {
    const [, field = '', operator, value = ''] = /^\s*([^=!]+?)\s*(==|=|!=)(.*)$/.exec(part) ?? [];
    if (operator === undefined) throw badRequest(`invalid field selector ${JSON.stringify(part)}`);
    if (!COMMON_FIELDS.includes(field) && !kindFields.includes(field)) {
      throw badRequest(`field label not supported: ${field}`);
    }
    const names = field.split('.');
    const textOf = (object: StoredObject): string => String(valueAt(object, names) ?? '');
    return operator === '!=' ? (object) => textOf(object) !== value : (object) => textOf(object) === value;
  });
  return (object) => tests.every((test) => test(object));
};
