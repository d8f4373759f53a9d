/** Objects as cases give and send them: short, and with nothing in them that a case does not need. */
import { isRecord } from '../../src/base/json.ts';

const CLUSTER_WIDE = new Set([
  'Node',
  'Namespace',
  'PriorityClass',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'CertificateSigningRequest',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MacHost',
]);

const pluralOf = (kind: string): string => {
  const lower = kind.toLowerCase();
  if (lower.endsWith('s')) return `${lower}es`;
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`;
};

/** The collection that the object belongs to, in the notation of case.ts. */
export const pathFor = (object: object): string => {
  const { apiVersion, kind } = parseType(object);
  const isWide = CLUSTER_WIDE.has(kind);
  const plural = pluralOf(kind);
  if (apiVersion === 'v1') return isWide ? `/api/v1/${plural}` : `~/${plural}`;
  return isWide ? `/apis/${apiVersion}/${plural}` : `~${apiVersion}/${plural}`;
};

const parseType = (object: object): { readonly apiVersion: string; readonly kind: string } => {
  const { apiVersion, kind } = isRecord(object) ? object : {};
  if (typeof apiVersion === 'string' && typeof kind === 'string') return { apiVersion, kind };
  throw new Error(`no type: ${JSON.stringify(object)}`);
};

interface Meta {
  readonly name?: string;
  readonly [field: string]: unknown;
}

const metadataOf = (name: string | Meta): Meta => (typeof name === 'string' ? { name } : name);

type Build = (name: string | Meta, fields?: object) => object;

const builder =
  (apiVersion: string, kind: string): Build =>
  (name, fields = {}) => ({ apiVersion, kind, metadata: metadataOf(name), ...fields });

export const configMap = builder('v1', 'ConfigMap');
export const secret = builder('v1', 'Secret');
export const node = builder('v1', 'Node');
export const serviceAccount = builder('v1', 'ServiceAccount');
export const event = builder('v1', 'Event');
export const lease = builder('coordination.k8s.io/v1', 'Lease');
export const budget = builder('policy/v1', 'PodDisruptionBudget');
export const role = builder('rbac.authorization.k8s.io/v1', 'Role');
export const clusterRole = builder('rbac.authorization.k8s.io/v1', 'ClusterRole');
export const roleBinding = builder('rbac.authorization.k8s.io/v1', 'RoleBinding');
export const clusterRoleBinding = builder('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding');
export const priorityClass = builder('scheduling.k8s.io/v1', 'PriorityClass');
export const policy = builder('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
export const policyBinding = builder('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding');

export const pod: Build = (name, fields = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: metadataOf(name) },
  spec: { containers: [{ name: 'c', image: 'i' }], ...fields },
});

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

export const deployment: Build = (name, spec = {}) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadataOf(name) },
  spec: { selector: { matchLabels: { app: 'a' } }, template, ...spec },
});

export const replicaSet: Build = (name, spec = {}) => ({
  ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: metadataOf(name) },
  spec: { selector: { matchLabels: { app: 'a' } }, template, ...spec },
});

export const job: Build = (name, spec = {}) => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: metadataOf(name) },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }, ...spec },
});

/** Of the small kind that every server of the suite is given; see gadget.ts. */
export const gadget = builder('conformance.macfleet.dev/v1', 'Gadget');

export interface Failure {
  readonly code: number;
  readonly reason: unknown;
  readonly message: unknown;
  readonly details?: unknown;
}

/** A Status that says no. */
export const refused = ({ code, reason, message, details }: Failure) => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details },
});

export const notFound = (plural: string, name: string, group?: string) =>
  refused({
    code: 404,
    reason: 'NotFound',
    message: `${group === undefined ? plural : `${plural}.${group}`} "${name}" not found`,
    details: { name, kind: plural, ...(group !== undefined && { group }) },
  });

/** 422 with the causes: field, reason and message of each. */
export const invalid = (message: unknown, ...causes: readonly (readonly [string, string, unknown?])[]) =>
  refused({
    ...{ code: 422, reason: 'Invalid', message },
    details: {
      causes: causes.map(([field, reason, text]) => ({ field, reason, ...(text !== undefined && { message: text }) })),
    },
  });
