/** A Node writes itself only, and never what decides which Pods it gets: taints, owners, reserved labels. */
import { isEqualJson } from '../../../../base/json.ts';
import { type Fields, fieldsOf } from '../../../store/object.ts';
import type { Judge } from './verdict.ts';

const OWN_LABELS = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];
const OWN_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
/** Among them node-restriction.kubernetes.io, which exists to be out of a Node's reach. */
const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io'];

export const judgeNode: Judge = ({ operation, name, object, old }, nodeName) => {
  if (name !== nodeName) return `node "${nodeName}" is not allowed to modify node "${name}"`;
  const node = `node "${nodeName}"`;
  if (operation === 'CREATE') {
    if (fieldsOf(object?.['spec'])['configSource'] !== undefined) {
      return `${node} is not allowed to create pods with a non-nil configSource`;
    }
    const labels = forbiddenLabels(labelsOf(object), {});
    return labels === '' ? undefined : `${node} is not allowed to set the following labels: ${labels}`;
  }
  return operation === 'UPDATE' ? judgeUpdate(node, object ?? {}, old ?? {}) : undefined;
};

const judgeUpdate = (node: string, object: Fields, old: Fields): string | undefined => {
  const [spec, oldSpec] = [fieldsOf(object['spec']), fieldsOf(old['spec'])];
  const { configSource } = spec;
  if (configSource !== undefined && !isEqualJson(configSource, oldSpec['configSource'])) {
    return `${node} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!isSameList(spec['taints'], oldSpec['taints'])) return `${node} is not allowed to modify taints`;
  const owners = fieldsOf(object['metadata'])['ownerReferences'];
  if (!isSameList(owners, fieldsOf(old['metadata'])['ownerReferences'])) {
    return `${node} is not allowed to modify ownerReferences`;
  }
  const labels = forbiddenLabels(labelsOf(object), labelsOf(old));
  return labels === '' ? undefined : `is not allowed to modify labels: ${labels}`;
};

/** No list and an empty one are the same. */
const isSameList = (left: unknown, right: unknown): boolean => isEqualJson(left ?? [], right ?? []);

const labelsOf = (object: Fields | undefined): Fields => fieldsOf(fieldsOf(object?.['metadata'])['labels']);

const forbiddenLabels = (labels: Fields, old: Fields): string => {
  const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
  const changed = [...keys].filter((key) => labels[key] !== old[key]);
  return changed.filter(isForbidden).sort().join(', ');
};

const isForbidden = (key: string): boolean => {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  return isIn(domain, RESERVED_DOMAINS) && !OWN_LABELS.includes(key) && !isIn(domain, OWN_DOMAINS);
};

const isIn = (domain: string, domains: readonly string[]): boolean =>
  domains.some((one) => domain === one || domain.endsWith(`.${one}`));
