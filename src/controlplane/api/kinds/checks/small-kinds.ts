/** What is wrong with objects of the simpler built-in kinds, and what of them may never change. */
import { isEqualJson, isRecord } from '../../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../../store/object.ts';
import { parseRequest } from '../../admission/signing-request.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  type Problem,
  required,
  tooLong,
} from '../../refusal.ts';
import type { WriteScene } from '../served-kind.ts';
import { SYSTEM_PREFIX, SYSTEM_PRIORITIES } from '../system-priorities.ts';
import { checkName, dataKey, qualifiedName } from './names.ts';
import { recordsIn } from './pod.ts';

export type Check = (object: StoredObject, scene: WriteScene) => readonly Problem[];

const DATA_BYTES_MAX = 1024 * 1024;
const IMMUTABLE = 'field is immutable';
const SET = 'field is immutable when `immutable` is set';

const checkDataKeys = (object: StoredObject, fields: readonly string[]): readonly Problem[] =>
  fields.flatMap((field) =>
    Object.keys(fieldsOf(object[field])).flatMap((key) =>
      dataKey(key).map((why) => invalidValue(`${field}[${key}]`, key, why)),
    ),
  );

/** Whoever marked the object as immutable cannot take that back, nor change what it holds. */
const checkImmutable = (
  object: StoredObject,
  old: StoredObject | undefined,
  fields: readonly string[],
): readonly Problem[] => {
  if (old?.['immutable'] !== true) return [];
  return [
    ...(object['immutable'] === true ? [] : [forbiddenField('immutable', SET)]),
    ...fields.filter((name) => !isEqualJson(object[name], old[name])).map((name) => forbiddenField(name, SET)),
  ];
};

export const checkConfigMap: Check = (object, { old }) => {
  const both = Object.keys(fieldsOf(object['data'])).filter((key) =>
    Object.hasOwn(fieldsOf(object['binaryData']), key),
  );
  const texts = [...Object.values(fieldsOf(object['data'])), ...Object.values(fieldsOf(object['binaryData']))];
  const sizeBytes = texts.reduce<number>((sum, text) => sum + Buffer.byteLength(String(text)), 0);
  return [
    ...checkDataKeys(object, ['data', 'binaryData']),
    ...both.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...(sizeBytes > DATA_BYTES_MAX ? [tooLong('[]', DATA_BYTES_MAX)] : []),
    ...checkImmutable(object, old, ['data', 'binaryData']),
  ];
};

const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const checkSecret: Check = (object, { old }) => {
  const data = fieldsOf(object['data']);
  const sizeBytes = Object.values(data).reduce<number>((sum, text) => sum + (String(text).length * 3) / 4, 0);
  const missing = (REQUIRED_KEYS[String(object['type'])] ?? []).filter((key) => !Object.hasOwn(data, key));
  const broken = Object.entries(data).filter(([, text]) => !/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(String(text)));
  return [
    ...checkDataKeys(object, ['data']),
    ...broken.map(([key, text]) => invalidValue(`data[${key}]`, text, 'must be base64')),
    ...(sizeBytes > DATA_BYTES_MAX ? [tooLong('data', DATA_BYTES_MAX)] : []),
    ...missing.map((key) => required(`data[${key}]`)),
    ...(old === undefined || old['type'] === object['type'] ? [] : [invalidValue('type', object['type'], IMMUTABLE)]),
    ...checkImmutable(object, old, ['data']),
  ];
};

const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export const checkNode: Check = (object, { old }) => {
  const spec = fieldsOf(object['spec']);
  const before = fieldsOf(old?.['spec'])['providerID'] ?? '';
  const seen = new Set<string>();
  const taints = recordsIn(spec['taints']).flatMap(({ key = '', effect = '' }, at) => {
    const field = `spec.taints[${at}]`;
    const id = `${String(key)}:${String(effect)}`;
    const isTwice = seen.has(id);
    seen.add(id);
    return [
      ...checkName(`${field}.key`, String(key), qualifiedName),
      ...(TAINT_EFFECTS.includes(String(effect)) ? [] : [notSupported(`${field}.effect`, effect, TAINT_EFFECTS)]),
      ...(isTwice ? [duplicate(field, { key, effect })] : []),
    ];
  });
  const isMoved = before !== '' && before !== (spec['providerID'] ?? '');
  const why = 'node updates may not change providerID except from "" to valid';
  return [...taints, ...(isMoved ? [forbiddenField('spec.providerID', why)] : [])];
};

export const checkLease: Check = (object) => {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = fieldsOf(object['spec']);
  return [
    ...(seconds !== undefined && Number(seconds) <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...(transitions !== undefined && Number(transitions) < 0
      ? [invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
      : []),
  ];
};

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export const checkBinding: Check = (object, { old }) => {
  const roleRef = fieldsOf(object['roleRef']);
  const subjects = recordsIn(object['subjects']).flatMap(({ kind, name = '', namespace = '' }, at) => {
    const field = `subjects[${at}]`;
    const isAccount = kind === 'ServiceAccount';
    return [
      ...(name === '' ? [required(`${field}.name`)] : []),
      ...(SUBJECT_KINDS.includes(String(kind)) ? [] : [notSupported(`${field}.kind`, kind ?? '', SUBJECT_KINDS)]),
      ...(isAccount && namespace === '' ? [required(`${field}.namespace`)] : []),
    ];
  });
  const isKept = old === undefined || isEqualJson(old['roleRef'], object['roleRef']);
  return [
    ...(roleRef['name'] === undefined || roleRef['name'] === '' ? [required('roleRef.name')] : []),
    ...subjects,
    ...(isKept ? [] : [invalidValue('roleRef', roleRef, 'cannot change roleRef')]),
  ];
};

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

export const checkRole: Check = (object) =>
  recordsIn(object['rules']).flatMap((rule, at) => {
    const field = `rules[${at}]`;
    if (!hasItems(rule['verbs'])) return [required(`${field}.verbs`, 'verbs must contain at least one value')];
    if (hasItems(rule['nonResourceURLs'])) {
      const why = 'rules cannot apply to both regular resources and non-resource URLs';
      return hasItems(rule['resources'])
        ? [invalidValue(`${field}.nonResourceURLs`, rule['nonResourceURLs'], why)]
        : [];
    }
    const lacking = ['apiGroups', 'resources'].filter((name) => !hasItems(rule[name]));
    return lacking.map((name) =>
      required(
        `${field}.${name}`,
        `resource rules must supply at least one ${name === 'apiGroups' ? 'api group' : 'resource'}`,
      ),
    );
  });

export const checkBudget: Check = (object) => {
  const { minAvailable, maxUnavailable } = fieldsOf(object['spec']);
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    return [
      invalidValue('spec', { minAvailable, maxUnavailable }, 'minAvailable and maxUnavailable cannot be both set'),
    ];
  }
  return Object.entries({ minAvailable, maxUnavailable }).flatMap(([name, value]) =>
    value === undefined || /^\d+%?$/.test(String(value))
      ? []
      : [invalidValue(`spec.${name}`, value, 'must be greater than or equal to 0')],
  );
};

const SIGNER = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[^\s/]+(\/[^\s/]+)*$/;
const EXPIRATION_SECONDS_MIN = 600;

export const checkCsr: Check = (object, { old, subresource }) => {
  if (old !== undefined) return [...checkDecision(object), ...checkCsrStatus(object, old, subresource)];
  const { signerName, request, usages, expirationSeconds: seconds } = fieldsOf(object['spec']);
  const problems: Problem[] = [];
  if (request === undefined || request === '') problems.push(required('spec.request'));
  else problems.push(...checkSigningRequest(request));
  if (!hasItems(usages)) problems.push(required('spec.usages', 'usages must be specified'));
  if (signerName === undefined || signerName === '') problems.push(required('spec.signerName'));
  else if (!SIGNER.test(String(signerName))) {
    problems.push(
      invalidValue(
        'spec.signerName',
        signerName,
        "must be a fully qualified domain and path of the form 'example.com/signer-name'",
      ),
    );
  }
  if (seconds !== undefined && Number(seconds) < EXPIRATION_SECONDS_MIN) {
    problems.push(
      invalidValue('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)'),
    );
  }
  return problems;
};

const checkSigningRequest = (request: unknown): readonly Problem[] => {
  const parsed = parseRequest(request);
  return parsed.is === 'good' ? [] : [invalidValue('spec.request', request, parsed.why)];
};

/** Decided only through /approval, signed only through /status, once, and nothing of it is ever taken back. */
const checkCsrStatus = (
  object: StoredObject,
  old: StoredObject,
  subresource: WriteScene['subresource'],
): readonly Problem[] => {
  const [next, before] = [fieldsOf(object['status']), fieldsOf(old['status'])];
  const problems: Problem[] = [];
  for (const type of ['Approved', 'Denied', 'Failed']) {
    const change = changeOf(conditionsOf(before, type), conditionsOf(next, type));
    const isAllowed = change === 'none' || (change !== 'remove' && (subresource === 'approval' || type === 'Failed'));
    if (!isAllowed)
      problems.push(forbiddenField('status.conditions', `updates may not ${change} a condition of type "${type}"`));
  }
  if ((next['certificate'] ?? '') !== (before['certificate'] ?? '')) {
    if (subresource !== 'status')
      problems.push(forbiddenField('status.certificate', 'updates may not set certificate content'));
    else if ((before['certificate'] ?? '') !== '')
      problems.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'));
  }
  return problems;
};

const conditionsOf = ({ conditions }: Fields, type: string): readonly Fields[] =>
  recordsIn(conditions).filter((condition) => condition['type'] === type);

const changeOf = (before: readonly Fields[], next: readonly Fields[]): 'none' | 'add' | 'remove' | 'modify' => {
  if (next.length !== before.length) return next.length < before.length ? 'remove' : 'add';
  return isEqualJson(before, next) ? 'none' : 'modify';
};

/** A request is approved or denied, once. */
const checkDecision = (object: StoredObject): readonly Problem[] => {
  const types = recordsIn(fieldsOf(object['status'])['conditions']).map(({ type }) => type);
  return types.includes('Approved') && types.includes('Denied')
    ? [invalidValue('status.conditions', 'Denied', 'Approved and Denied conditions are mutually exclusive')]
    : [];
};

export const checkPriorityClass: Check = (object, { old }) => {
  const { value } = object;
  const problems: Problem[] = [...checkReserved(object)];
  if (old !== undefined && old['value'] !== value)
    problems.push(forbiddenField('value', 'may not be changed in an update.'));
  if (old !== undefined && old['preemptionPolicy'] !== object['preemptionPolicy']) {
    problems.push(invalidValue('preemptionPolicy', object['preemptionPolicy'], IMMUTABLE));
  }
  return problems;
};

const USER_PRIORITY_MAX = 1_000_000_000;

/** Names and values that are Kubernetes' own. */
const checkReserved = ({ metadata: { name }, value, globalDefault }: StoredObject): readonly Problem[] => {
  if (!name.startsWith(SYSTEM_PREFIX)) {
    const why = `maximum allowed value of a user defined priority is ${USER_PRIORITY_MAX}`;
    return Number(value ?? 0) > USER_PRIORITY_MAX ? [forbiddenField('value', why)] : [];
  }
  const known = SYSTEM_PRIORITIES.find((one) => one.name === name);
  if (known?.value === value && globalDefault !== true) return [];
  const why =
    known === undefined
      ? `${name} is not a known system priority class`
      : known.value === value
        ? `globalDefault of ${name} PriorityClass must be false`
        : `value of ${name} PriorityClass must be ${known.value}`;
  const reserved = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
  return [forbiddenField('metadata.name', `${reserved}. error: ${why}`)];
};

/** Of objects that are nothing without certain fields of spec. */
export const needs =
  (...names: readonly string[]): Check =>
  (object) => {
    const { spec } = object;
    if (spec !== undefined && !isRecord(spec)) return [invalidValue('spec', spec, 'must be an object')];
    return names.filter((name) => spec?.[name] === undefined).map((name) => required(`spec.${name}`));
  };

export const checkNothing: Check = () => [];
