/**
 * The body of a write as an object of its kind. Fields that the kind does not have, and fields said twice, are dropped:
 * silently, with a warning, or with a refusal of the whole, as the client asked (`fieldValidation`).
 */
import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import type { Call } from '../call.ts';
import { strictnessOf } from '../options.ts';
import { badRequest, invalid, invalidValue } from '../refusal.ts';
import { fieldsInOrder, mayRepeatFields, missingBody, type ReadBody } from './read-json.ts';
import { renderRepeated } from './read-yaml.ts';

const COMPLAINTS_MAX = 100;

export const readObject = (call: Call): Fields => {
  const body = call.body();
  const { kind } = call.kind.resource;
  if (body === undefined) throw missingBody(kind);
  if (!isRecord(body.value)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
  checkNames(call, body.value);
  const refuse = (why: string) =>
    badRequest(
      `${kind} in version ${JSON.stringify(call.kind.resource.version)} cannot be handled as a ${kind}: ${why}`,
    );
  const { value, unknown } = call.kind.decode(body.value, refuse);
  const repeated = listRepeated(call);
  const complaints = listComplaints(call, body, unknown);
  if (repeated.length + complaints.length > 0 && strictnessOf(call) === 'Strict') {
    const all = repeated.length > 0 ? [renderRepeated(repeated), ...complaints] : complaints;
    throw refuse(`strict decoding error: ${all.join(', ')}`);
  }
  for (const complaint of [...repeated, ...complaints]) call.warn(complaint);
  return value;
};

/** Warns of keys that the body says twice in YAML, or refuses it for them. */
export const checkApplied = (call: Call): void => {
  const repeated = listRepeated(call);
  if (repeated.length > 0 && strictnessOf(call) === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${renderRepeated(repeated)}`);
  }
  for (const complaint of repeated) call.warn(complaint);
};

const listRepeated = (call: Call): readonly string[] =>
  strictnessOf(call) === 'Ignore' ? [] : (call.body()?.repeated ?? []).slice(0, COMPLAINTS_MAX);

/** Kind and version may be left out; when they are said they must be those of the path. */
const checkNames = (call: Call, value: Fields): void => {
  const { group, version, kind } = call.kind.resource;
  const expected = group === '' ? version : `${group}/${version}`;
  const { apiVersion = expected, kind: said = kind } = value;
  if (apiVersion === expected && said === kind) return;
  if (call.kind.origin === 'custom' && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
  if (said === kind) {
    const shown = JSON.stringify(String(apiVersion));
    const why = `no kind ${JSON.stringify(kind)} is registered for version ${shown}`;
    throw badRequest(`${kind} in version ${shown} cannot be handled as a ${kind}: ${why}`);
  }
  throw badRequest(
    `${String(said)} in version ${JSON.stringify(String(apiVersion))} cannot be handled as a ${kind}: the path is for kind ${JSON.stringify(kind)} in version ${JSON.stringify(expected)}`,
  );
};

const listComplaints = (call: Call, body: ReadBody, unknown: readonly string[]): readonly string[] => {
  if (strictnessOf(call) === 'Ignore') return [];
  if (!mayRepeatFields(body)) return unknown.slice(0, COMPLAINTS_MAX).map(unknownField);
  const dropped = new Set(unknown);
  const listed = fieldsInOrder(body.text).flatMap(({ path, isRepeated }) => {
    if (isRepeated) return [`duplicate field ${JSON.stringify(path)}`];
    return dropped.has(path) ? [unknownField(path)] : [];
  });
  return listed.slice(0, COMPLAINTS_MAX);
};

const unknownField = (path: string): string => `unknown field ${JSON.stringify(path)}`;

/** What a patch led to, as an object of its kind. */
export const decodePatched = (call: Call, patched: Fields): Fields => {
  const refuse = (why: string) =>
    invalid({ group: '', kind: '' }, '', [invalidValue('patch', JSON.stringify(patched), why)]);
  const { value, unknown } = call.kind.decode(patched, refuse);
  const complaints = strictnessOf(call) === 'Ignore' ? [] : unknown.slice(0, COMPLAINTS_MAX).map(unknownField);
  if (complaints.length > 0 && strictnessOf(call) === 'Strict') {
    throw refuse(`strict decoding error: ${complaints.join(', ')}`);
  }
  for (const complaint of complaints) call.warn(complaint);
  return value;
};
