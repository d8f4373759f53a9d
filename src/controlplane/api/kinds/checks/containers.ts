/** What is wrong with the containers of a Pod. */
import { isRecord } from '../../../../base/json.ts';
import { parseQuantity } from '../../../../base/quantity.ts';
import { type Fields, fieldsOf } from '../../../store/object.ts';
import { duplicate, invalidValue, notFoundField, notSupported, type Problem, required } from '../../refusal.ts';
import { checkName, label } from './names.ts';
import { QUANTITY_RULE } from './quantity.ts';

interface Place {
  /** Of the spec around. */
  readonly path: string;
  readonly volumes: readonly string[];
}

const listIn = (spec: Fields, name: string): readonly Fields[] => {
  const value = spec[name];
  return Array.isArray(value) ? value.filter(isRecord) : [];
};

export const checkContainers = (spec: Fields, { path, volumes }: Place): readonly Problem[] => {
  const containers = listIn(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`)];
  const seen = new Set<unknown>();
  const check = (list: string): readonly Problem[] =>
    listIn(spec, list).flatMap((container, at) => {
      const field = `${path}.${list}[${at}]`;
      const isTwice = seen.has(container['name']);
      seen.add(container['name']);
      return [
        ...(isTwice ? [duplicate(`${field}.name`, container['name'])] : []),
        ...checkContainer(container, { path: field, volumes }),
      ];
    });
  return [...check('initContainers'), ...check('containers')];
};

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

const checkContainer = (container: Fields, { path, volumes }: Place): readonly Problem[] => {
  const { name, image, imagePullPolicy: policy } = container;
  const problems: Problem[] = [];
  if (name === undefined || name === '') problems.push(required(`${path}.name`));
  else problems.push(...checkName(`${path}.name`, String(name), label));
  if (image === undefined || image === '') problems.push(required(`${path}.image`));
  else if (String(image).trim() !== image) {
    problems.push(invalidValue(`${path}.image`, image, 'must not have leading or trailing whitespace'));
  }
  if (policy !== undefined && !PULL_POLICIES.includes(String(policy))) {
    problems.push(notSupported(`${path}.imagePullPolicy`, policy, PULL_POLICIES));
  }
  return [
    ...problems,
    ...checkPorts(listIn(container, 'ports'), `${path}.ports`),
    ...checkEnv(listIn(container, 'env'), `${path}.env`),
    ...checkMounts(listIn(container, 'volumeMounts'), { path: `${path}.volumeMounts`, volumes }),
    ...checkResources(fieldsOf(container['resources']), `${path}.resources`),
  ];
};

const checkPorts = (ports: readonly Fields[], path: string): readonly Problem[] =>
  ports.flatMap(({ containerPort }, at) => {
    const field = `${path}[${at}].containerPort`;
    if (containerPort === undefined || containerPort === 0) return [required(field)];
    return Number(containerPort) >= 1 && Number(containerPort) <= 65_535
      ? []
      : [invalidValue(field, containerPort, 'must be between 1 and 65535, inclusive')];
  });

const checkEnv = (env: readonly Fields[], path: string): readonly Problem[] =>
  env.flatMap(({ name, value, valueFrom }, at) => {
    const field = `${path}[${at}]`;
    const problems: Problem[] = [];
    if (name === undefined || name === '') problems.push(required(`${field}.name`));
    else if (!/^[^=\p{Cc}\s]+$/u.test(String(name))) {
      problems.push(
        invalidValue(
          `${field}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      );
    }
    if (valueFrom !== undefined && value !== undefined && value !== '') {
      problems.push(invalidValue(`${field}.valueFrom`, '', 'may not be specified when `value` is not empty'));
    }
    return problems;
  });

const checkMounts = (mounts: readonly Fields[], { path, volumes }: Place): readonly Problem[] => {
  const seen = new Set<unknown>();
  return mounts.flatMap(({ name, mountPath }, at) => {
    const field = `${path}[${at}]`;
    const problems: Problem[] = [];
    if (name === undefined || name === '') problems.push(required(`${field}.name`));
    else if (!volumes.includes(String(name))) problems.push(notFoundField(`${field}.name`, name));
    if (mountPath === undefined || mountPath === '') problems.push(required(`${field}.mountPath`));
    else if (seen.has(mountPath)) problems.push(invalidValue(`${field}.mountPath`, mountPath, 'must be unique'));
    seen.add(mountPath);
    return problems;
  });
};

const checkResources = ({ limits, requests }: Fields, path: string): readonly Problem[] => {
  const amounts = (name: string, value: unknown): readonly Problem[] =>
    Object.entries(fieldsOf(value)).flatMap(([resource, amount]) => {
      const field = `${path}.${name}[${resource}]`;
      const parsed = parseQuantity(amount);
      if (parsed === undefined) return [invalidValue(field, amount, QUANTITY_RULE)];
      return parsed < 0 ? [invalidValue(field, String(amount), 'must be greater than or equal to 0')] : [];
    });
  const above = Object.entries(fieldsOf(requests)).flatMap(([resource, amount]) => {
    const limit = fieldsOf(limits)[resource];
    const [asked, most] = [parseQuantity(amount), limit === undefined ? undefined : parseQuantity(limit)];
    if (asked === undefined || most === undefined || asked <= most) return [];
    const why = `must be less than or equal to ${resource} limit of ${String(limit)}`;
    return [invalidValue(`${path}.requests`, String(amount), why)];
  });
  return [...amounts('limits', limits), ...amounts('requests', requests), ...above];
};
