/** The options of a write: what a client says in the query about how it is to be done. Unknown values are refused. */
import type { Call } from './call.ts';
import { badRequest, forbiddenField, invalid, notSupported, type Problem, required } from './refusal.ts';

export type Strictness = 'Ignore' | 'Warn' | 'Strict';

const STRICTNESS: readonly Strictness[] = ['Ignore', 'Strict', 'Warn'];
const MANAGER_LENGTH_MAX = 128;

const KINDS: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
  DELETE: 'DeleteOptions',
};

export const APPLY_TYPE = 'application/apply-patch+yaml';

export const invalidOptions = (kind: string, problems: readonly Problem[]) =>
  invalid({ group: 'meta.k8s.io', kind }, '', problems);

/** Refuses options that mean nothing; asked once, before anything else is looked at. */
export const checkWriteOptions = (call: Call, contentType: string): void => {
  const kind = KINDS[call.method];
  if (kind === undefined) return;
  const problems = [
    ...checkDryRun(call.query.getAll('dryRun')),
    ...checkValidation(call.query.get('fieldValidation') ?? ''),
    ...checkManager(call, contentType),
    ...checkForce(call, contentType),
  ];
  if (problems.length > 0) throw invalidOptions(kind, problems);
};

export const checkDryRun = (values: readonly unknown[]): readonly Problem[] =>
  values.every((value) => value === 'All' || value === '') ? [] : [notSupported('dryRun', values, ['All'])];

const checkValidation = (value: string): readonly Problem[] =>
  value === '' || STRICTNESS.some((one) => one === value)
    ? []
    : [notSupported('fieldValidation', value, ['', ...STRICTNESS])];

const checkManager = ({ query, method }: Call, contentType: string): readonly Problem[] => {
  const manager = query.get('fieldManager') ?? '';
  if (method === 'PATCH' && contentType === APPLY_TYPE && manager === '') {
    return [required('fieldManager', 'is required for apply patch')];
  }
  if (manager.length <= MANAGER_LENGTH_MAX) return [];
  const message = `Too long: may not be more than ${MANAGER_LENGTH_MAX} bytes`;
  return [{ field: 'fieldManager', reason: 'FieldValueTooLong', message }];
};

const checkForce = ({ query, method }: Call, contentType: string): readonly Problem[] =>
  method === 'PATCH' && query.has('force') && contentType !== APPLY_TYPE
    ? [forbiddenField('force', 'may not be specified for non-apply patch')]
    : [];

export const strictnessOf = ({ query }: Call): Strictness =>
  STRICTNESS.find((one) => one === query.get('fieldValidation')) ?? 'Warn';

export const isDryRun = ({ query }: Call): boolean => query.getAll('dryRun').includes('All');

/** In whose name fields are owned. */
export const managerOf = ({ query, headers }: Call): string =>
  query.get('fieldManager') || ((headers['user-agent'] ?? '').split('/')[0] || 'unknown').slice(0, MANAGER_LENGTH_MAX);

/** As Go writes a duration: `1m30s`, `0`, `1.5h`. */
const DURATION = /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*)$/;

/**
 * How long the client would wait. Everything is answered at once here, and a watch has a time of its own; what is no time at
 * all is refused as a real API server does.
 */
export const checkTimeout = (query: string): void => {
  if (!query.includes('timeout=')) return;
  const options = new URLSearchParams(query);
  const timeout = options.get('timeout') ?? '';
  if (timeout === '' || options.has('watch') || DURATION.test(timeout)) return;
  const why = `time: invalid duration ${JSON.stringify(timeout)}`;
  throw badRequest(`invalid timeout specified in the request URL - ${why}`);
};
