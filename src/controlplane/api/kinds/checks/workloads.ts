/** What is wrong with a Deployment, ReplicaSet or Job, and what of it may never change. */
import { isEqualJson, isRecord } from '../../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../../store/object.ts';
import { forbiddenField, invalidValue, notSupported, type Problem, required } from '../../refusal.ts';
import { matchesSelector } from '../../selectors.ts';
import type { WriteScene } from '../served-kind.ts';
import { checkPodSpec, recordsIn } from './pod.ts';

type Check = (object: StoredObject, scene: WriteScene) => readonly Problem[];

const IMMUTABLE = 'field is immutable';

const checkCount = (field: string, value: unknown): readonly Problem[] =>
  value === undefined || Number(value) >= 0 ? [] : [invalidValue(field, value, 'must be greater than or equal to 0')];

const checkSelector = (selector: unknown, field: string): readonly Problem[] => {
  if (!isRecord(selector)) return [required(field)];
  const isEmpty =
    Object.keys(fieldsOf(selector['matchLabels'])).length === 0 && recordsIn(selector['matchExpressions']).length === 0;
  if (isEmpty) return [invalidValue(field, {}, 'empty selector is invalid for deployment')];
  return recordsIn(selector['matchExpressions']).flatMap(({ operator, values }, at) => {
    const path = `${field}.matchExpressions[${at}]`;
    const count = Array.isArray(values) ? values.length : 0;
    switch (operator) {
      case 'In':
      case 'NotIn':
        return count > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
      case 'Exists':
      case 'DoesNotExist':
        return count === 0
          ? []
          : [forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
      default:
        return [invalidValue(`${path}.operator`, operator ?? '', 'not a valid selector operator')];
    }
  });
};

/** A template of Pods that run for ever. */
const checkLastingTemplate = (spec: Fields): readonly Problem[] => {
  const { selector, template } = spec;
  const problems: Problem[] = [...checkSelector(selector, 'spec.selector')];
  const labels = fieldsOf(fieldsOf(fieldsOf(template)['metadata'])['labels']);
  if (isRecord(selector) && problems.length === 0 && !matchesSelector(selector, labels)) {
    problems.push(invalidValue('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  const inner = fieldsOf(fieldsOf(template)['spec']);
  const policy = inner['restartPolicy'] ?? 'Always';
  if (policy !== 'Always') problems.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']));
  return [...problems, ...checkPodSpec(inner, 'spec.template.spec')];
};

const checkSelectorKept = (spec: Fields, old: StoredObject | undefined): readonly Problem[] =>
  old === undefined || isEqualJson(fieldsOf(old['spec'])['selector'], spec['selector'])
    ? []
    : [invalidValue('spec.selector', spec['selector'], IMMUTABLE)];

const STRATEGIES = ['Recreate', 'RollingUpdate'];

const isZero = (value: unknown): boolean => value === 0 || value === '0' || value === '0%';

const checkStrategy = (strategy: Fields): readonly Problem[] => {
  const { type, rollingUpdate } = strategy;
  const path = 'spec.strategy';
  if (!STRATEGIES.includes(String(type))) return [notSupported(`${path}.type`, type, STRATEGIES)];
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return rollingUpdate === undefined ? [] : [forbiddenField(`${path}.rollingUpdate`, why)];
  }
  const { maxSurge, maxUnavailable } = fieldsOf(rollingUpdate);
  const bad = Object.entries({ maxUnavailable, maxSurge }).filter(([, value]) => !/^(\d+|\d+%)$/.test(String(value)));
  if (bad.length > 0) {
    return bad.map(([name, value]) =>
      invalidValue(
        `${path}.rollingUpdate.${name}`,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    );
  }
  const why = 'may not be 0 when `maxSurge` is 0';
  return isZero(maxSurge) && isZero(maxUnavailable)
    ? [invalidValue(`${path}.rollingUpdate.maxUnavailable`, maxUnavailable, why)]
    : [];
};

export const checkDeployment: Check = (object, { old }) => {
  const spec = fieldsOf(object['spec']);
  return [
    ...checkCount('spec.replicas', spec['replicas']),
    ...checkCount('spec.minReadySeconds', spec['minReadySeconds']),
    ...checkCount('spec.revisionHistoryLimit', spec['revisionHistoryLimit']),
    ...checkStrategy(fieldsOf(spec['strategy'])),
    ...checkLastingTemplate(spec),
    ...checkSelectorKept(spec, old),
  ];
};

export const checkReplicaSet: Check = (object, { old }) => {
  const spec = fieldsOf(object['spec']);
  return [
    ...checkCount('spec.replicas', spec['replicas']),
    ...checkCount('spec.minReadySeconds', spec['minReadySeconds']),
    ...checkLastingTemplate(spec),
    ...checkSelectorKept(spec, old),
  ];
};

const JOB_COUNTS = ['parallelism', 'completions', 'backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'];
const JOB_POLICIES = ['OnFailure', 'Never'];

export const checkJob: Check = (object, { old }) => {
  const spec = fieldsOf(object['spec']);
  const inner = fieldsOf(fieldsOf(spec['template'])['spec']);
  const policy = inner['restartPolicy'];
  const wrongPolicy = JOB_POLICIES.includes(String(policy))
    ? []
    : policy === undefined || policy === 'Always'
      ? [
          required(
            'spec.template.spec.restartPolicy',
            `valid values: ${JOB_POLICIES.map((one) => `"${one}"`).join(', ')}`,
          ),
        ]
      : [notSupported('spec.template.spec.restartPolicy', policy, JOB_POLICIES)];
  return [
    ...JOB_COUNTS.flatMap((name) => checkCount(`spec.${name}`, spec[name])),
    ...(isRecord(spec['template']) ? checkPodSpec(inner, 'spec.template.spec') : [required('spec.template')]),
    ...wrongPolicy,
    ...checkJobChange(spec, old),
  ];
};

const checkJobChange = (spec: Fields, old: StoredObject | undefined): readonly Problem[] => {
  if (old === undefined) return [];
  const before = fieldsOf(old['spec']);
  const isIndexed = spec['completionMode'] === 'Indexed';
  const isSuspended = before['suspend'] === true && fieldsOf(old['status'])['startTime'] === undefined;
  const fixed = [
    'selector',
    'completionMode',
    ...(isIndexed ? [] : ['completions']),
    ...(isSuspended ? [] : ['template']),
  ];
  return fixed
    .filter((name) => !isEqualJson(before[name], spec[name]))
    .map((name) => invalidValue(`spec.${name}`, spec[name] ?? null, IMMUTABLE));
};
