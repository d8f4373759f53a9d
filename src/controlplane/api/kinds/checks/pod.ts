/** What is wrong with a Pod, or with the template of one; and what may change of a Pod that exists. */
import { isEqualJson, isRecord } from '../../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../../store/object.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, type Problem, required } from '../../refusal.ts';
import type { WriteScene } from '../served-kind.ts';
import { checkContainers } from './containers.ts';
import { checkName, label, labelValue, qualifiedName, subdomain } from './names.ts';

export const recordsIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export const checkPodSpec = (spec: Fields, path: string): readonly Problem[] => {
  const at = (name: string): string => `${path}.${name}`;
  const volumes = recordsIn(spec['volumes']);
  return [
    ...checkVolumes(volumes, at('volumes')),
    ...checkContainers(spec, { path, volumes: volumes.map(({ name }) => String(name)) }),
    ...checkOneOf(at('restartPolicy'), spec['restartPolicy'], RESTART_POLICIES),
    ...checkOneOf(at('dnsPolicy'), spec['dnsPolicy'], DNS_POLICIES),
    ...checkSeconds(at('terminationGracePeriodSeconds'), spec['terminationGracePeriodSeconds'], 0),
    ...checkSeconds(at('activeDeadlineSeconds'), spec['activeDeadlineSeconds'], 1),
    ...checkNodeSelector(fieldsOf(spec['nodeSelector']), at('nodeSelector')),
    ...checkTolerations(recordsIn(spec['tolerations']), at('tolerations')),
    ...checkOptionalName(at('nodeName'), spec['nodeName'], subdomain),
    ...checkOptionalName(at('serviceAccountName'), spec['serviceAccountName'], subdomain),
    ...checkOptionalName(at('hostname'), spec['hostname'], label),
  ];
};

const checkOptionalName = (field: string, value: unknown, form: typeof label): readonly Problem[] =>
  typeof value === 'string' && value !== '' ? checkName(field, value, form) : [];

const checkOneOf = (field: string, value: unknown, allowed: readonly string[]): readonly Problem[] =>
  value === undefined || allowed.includes(String(value)) ? [] : [notSupported(field, value, allowed)];

const checkSeconds = (field: string, value: unknown, min: number): readonly Problem[] => {
  if (value === undefined || Number(value) >= min) return [];
  const why = min === 0 ? 'must be greater than or equal to 0' : 'must be between 1 and 2147483647, inclusive';
  return [invalidValue(field, value, why)];
};

const checkVolumes = (volumes: readonly Fields[], path: string): readonly Problem[] => {
  const seen = new Set<unknown>();
  return volumes.flatMap((volume, at) => {
    const { name, ...sources } = volume;
    const field = `${path}[${at}].name`;
    const problems: Problem[] = [];
    if (name === undefined || name === '') problems.push(required(field));
    else if (seen.has(name)) problems.push(duplicate(field, name));
    else problems.push(...checkName(field, String(name), label));
    seen.add(name);
    if (Object.keys(sources).length === 0) problems.push(required(`${path}[${at}]`, 'must specify a volume type'));
    return problems;
  });
};

const checkNodeSelector = (selector: Fields, path: string): readonly Problem[] =>
  Object.entries(selector).flatMap(([key, value]) => [
    ...checkName(path, key, qualifiedName),
    ...labelValue(String(value)).map((why) => invalidValue(path, value, why)),
  ]);

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const checkTolerations = (tolerations: readonly Fields[], path: string): readonly Problem[] =>
  tolerations.flatMap(({ key = '', operator = 'Equal', value = '', effect, tolerationSeconds }, at) => {
    const field = `${path}[${at}]`;
    const problems: Problem[] = [];
    if (key !== '') problems.push(...checkName(`${field}.key`, String(key), qualifiedName));
    if (key === '' && operator !== 'Exists') {
      problems.push(
        invalidValue(
          `${field}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (!['Equal', 'Exists', ''].includes(String(operator))) {
      problems.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
    }
    if (operator === 'Exists' && value !== '') {
      problems.push(
        invalidValue(
          `${field}.operator`,
          { key, operator, value, effect },
          "value must be empty when `operator` is 'Exists'",
        ),
      );
    }
    if (effect !== undefined && effect !== '') problems.push(...checkOneOf(`${field}.effect`, effect, EFFECTS));
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      problems.push(
        invalidValue(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    }
    return problems;
  });

export const checkPod = (pod: StoredObject, { old, subresource }: WriteScene): readonly Problem[] => {
  const spec = fieldsOf(pod['spec']);
  if (old !== undefined) return subresource === undefined ? checkPodChange(fieldsOf(old['spec']), spec) : [];
  return checkPodSpec(spec, 'spec');
};

const MUTABLE = [
  ...['`spec.containers[*].image`', '`spec.initContainers[*].image`', '`spec.activeDeadlineSeconds`'],
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
];

const checkPodChange = (old: Fields, next: Fields): readonly Problem[] => {
  const problems: Problem[] = [];
  if (!isEqualJson(withoutMutable(old), withoutMutable(next))) {
    problems.push(forbiddenField('spec', `pod updates may not change fields other than ${MUTABLE.join(',')}`));
  }
  const images = [...recordsIn(next['containers']).entries()].filter(([, one]) => one['image'] === '');
  problems.push(...images.map(([at]) => required(`spec.containers[${at}].image`)));
  const kept = recordsIn(next['tolerations']);
  if (!recordsIn(old['tolerations']).every((one) => kept.some((other) => isSameToleration(one, other)))) {
    problems.push(
      forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
    );
  }
  const [before, after] = [old['activeDeadlineSeconds'], next['activeDeadlineSeconds']];
  if (before !== undefined && (after === undefined || Number(after) > Number(before))) {
    problems.push(
      invalidValue('spec.activeDeadlineSeconds', after ?? null, 'must be less than or equal to previous value'),
    );
  }
  return problems;
};

const isSameToleration = (left: Fields, right: Fields): boolean =>
  isEqualJson({ ...left, tolerationSeconds: undefined }, { ...right, tolerationSeconds: undefined });

/** Gates may be lifted, and an unscheduled Pod behind gates be narrowed down; everything else is as it was made. */
const withoutMutable = (spec: Fields): Fields => {
  const { activeDeadlineSeconds: _a, tolerations: _t, schedulingGates: _g, ...rest } = spec;
  const bare = (list: unknown): unknown => recordsIn(list).map((one) => ({ ...one, image: undefined }));
  return { ...rest, containers: bare(spec['containers']), initContainers: bare(spec['initContainers']) };
};
