/** The forms of names in Kubernetes, and what is said about a name that does not fit. */
import { invalidValue, type Problem } from '../../refusal.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

const IS_LABEL = new RegExp(`^${LABEL}$`);
const IS_SUBDOMAIN = new RegExp(`^${SUBDOMAIN}$`);
const QUALIFIED_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const IS_QUALIFIED_NAME = new RegExp(`^${QUALIFIED_NAME}$`);
const LABEL_VALUE = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const IS_LABEL_VALUE = new RegExp(`^${LABEL_VALUE}$`);

const SUBDOMAIN_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;
const LABEL_RULE = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const VALUE_RULE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${LABEL_VALUE}')`;
const NAME_PART_RULE = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}')`;

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

const tooLong = (max: number): string => `must be no more than ${max} bytes`;

/** What is wrong with a name, one text each. */
export type NameForm = (name: string) => readonly string[];

export const subdomain: NameForm = (name) => [
  ...(name.length > SUBDOMAIN_MAX ? [tooLong(SUBDOMAIN_MAX)] : []),
  ...(IS_SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_RULE]),
];

export const label: NameForm = (name) => [
  ...(name.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : []),
  ...(IS_LABEL.test(name) ? [] : [LABEL_RULE]),
];

/** Names that only need to be a part of a path: roles are called `system:…`. */
export const pathSegment: NameForm = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** `name`, or `domain/name`. */
export const qualifiedName: NameForm = (text) => {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0) {
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED_NAME}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = second ?? first;
  const prefix = second === undefined ? [] : subdomain(first).map((why) => `prefix part ${why}`);
  return [
    ...prefix,
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(name.length > LABEL_MAX ? [`name part ${tooLong(LABEL_MAX)}`] : []),
    ...(IS_QUALIFIED_NAME.test(name) ? [] : [NAME_PART_RULE]),
  ];
};

export const labelValue: NameForm = (value) => [
  ...(value.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : []),
  ...(IS_LABEL_VALUE.test(value) ? [] : [VALUE_RULE]),
];

/** A key of a ConfigMap or Secret. */
export const dataKey: NameForm = (key) => {
  if (key.length > SUBDOMAIN_MAX) return [tooLong(SUBDOMAIN_MAX)];
  if (key === '.' || key === '..') return [`must not be '${key}'`];
  if (/^[-._a-zA-Z0-9]+$/.test(key)) return key.startsWith('..') ? [`must not start with '..'`] : [];
  return [
    `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
  ];
};

export const checkName = (field: string, name: string, form: NameForm): readonly Problem[] =>
  form(name).map((why) => invalidValue(field, name, why));
