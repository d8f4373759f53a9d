/**
 * The kinds that are served without a CRD. Checks are light: the embedded control plane is for trying, developing and
 * simulating. ValidatingAdmissionPolicies are stored and not enforced yet. Cluster API's kinds stand here so that a fleet
 * can be described without installing its CRDs; unknown fields of theirs are kept.
 */

import { isRecord } from '../../../base/json.ts';
import type { Fields } from '../../store/object.ts';
import { BUILTIN_SHAPE } from '../patch/shape.ts';
import { invalidValue, type Problem, required } from '../refusal.ts';
import {
  AGE_COLUMN,
  CONFIG_MAP_COLUMNS,
  CSR_COLUMNS,
  DEPLOYMENT_COLUMNS,
  EVENT_COLUMNS,
  JOB_COLUMNS,
  LEASE_COLUMNS,
  MACHINE_COLUMNS,
  MACHINE_DEPLOYMENT_COLUMNS,
  MACHINE_SET_COLUMNS,
  NAME_COLUMN,
  NAMESPACE_COLUMNS,
  NODE_COLUMNS,
  PHASE_COLUMNS,
  POD_COLUMNS,
  REPLICA_SET_COLUMNS,
  SECRET_COLUMNS,
  SERVICE_COLUMNS,
} from './columns.ts';
import {
  type Prepare,
  prepareCsr,
  prepareDeployment,
  prepareJob,
  prepareNamespace,
  preparePod,
  prepareReplicaSet,
  prepareSecret,
  prepareService,
} from './prepare.ts';
import type { Column, ScalePaths, ServedKind, Subresource } from './served-kind.ts';

interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: 'Cluster';
  readonly subresources?: readonly Subresource[];
  readonly fields?: readonly string[];
  readonly columns?: readonly Column[];
  readonly prepare?: Prepare;
  /** Fields of spec without which the object means nothing. */
  readonly needs?: readonly string[];
  readonly statusOnCreate?: 'kept';
}

const REPLICAS: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: undefined,
};

const EVENT_FIELDS = [
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (f) => `involvedObject.${f}`,
  ),
  ...['reason', 'type', 'reportingComponent', 'source'],
];
const POD_FIELDS = [
  ...['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'],
  ...['status.phase', 'status.podIP', 'status.nominatedNodeName'],
];

const CORE: readonly Row[] = [
  {
    ...{ kind: 'Namespace', plural: 'namespaces', shortNames: ['ns'], scope: 'Cluster', fields: ['status.phase'] },
    ...{ subresources: ['status', 'finalize'], columns: NAMESPACE_COLUMNS, prepare: prepareNamespace },
    statusOnCreate: 'kept',
  },
  {
    ...{ kind: 'Node', plural: 'nodes', shortNames: ['no'], scope: 'Cluster', fields: ['spec.unschedulable'] },
    ...{ subresources: ['status'], columns: NODE_COLUMNS, statusOnCreate: 'kept' },
  },
  {
    ...{
      kind: 'Pod',
      plural: 'pods',
      shortNames: ['po'],
      categories: ['all'],
      fields: POD_FIELDS,
      needs: ['containers'],
    },
    ...{
      subresources: ['status', 'binding', 'eviction'],
      columns: POD_COLUMNS,
      prepare: preparePod,
      statusOnCreate: 'kept',
    },
  },
  { kind: 'Secret', plural: 'secrets', fields: ['type'], columns: SECRET_COLUMNS, prepare: prepareSecret },
  { kind: 'ConfigMap', plural: 'configmaps', shortNames: ['cm'], columns: CONFIG_MAP_COLUMNS },
  { kind: 'ServiceAccount', plural: 'serviceaccounts', shortNames: ['sa'] },
  {
    ...{ kind: 'Service', plural: 'services', shortNames: ['svc'], categories: ['all'], subresources: ['status'] },
    ...{ columns: SERVICE_COLUMNS, prepare: prepareService },
  },
  { kind: 'Event', plural: 'events', shortNames: ['ev'], fields: EVENT_FIELDS, columns: EVENT_COLUMNS },
];

const APPS: readonly Row[] = [
  {
    ...{ kind: 'Deployment', plural: 'deployments', shortNames: ['deploy'], categories: ['all'] },
    ...{ subresources: ['status', 'scale'], columns: DEPLOYMENT_COLUMNS, prepare: prepareDeployment },
    needs: ['selector', 'template'],
  },
  {
    ...{ kind: 'ReplicaSet', plural: 'replicasets', shortNames: ['rs'], categories: ['all'] },
    ...{ subresources: ['status', 'scale'], columns: REPLICA_SET_COLUMNS, prepare: prepareReplicaSet },
    needs: ['selector'],
  },
];

const BATCH: readonly Row[] = [
  {
    ...{ kind: 'Job', plural: 'jobs', categories: ['all'], subresources: ['status'], needs: ['template'] },
    ...{ columns: JOB_COLUMNS, prepare: prepareJob },
  },
];

const RBAC: readonly Row[] = [
  { kind: 'Role', plural: 'roles' },
  { kind: 'RoleBinding', plural: 'rolebindings' },
  { kind: 'ClusterRole', plural: 'clusterroles', scope: 'Cluster' },
  { kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', scope: 'Cluster' },
];

const CERTIFICATES: readonly Row[] = [
  {
    ...{
      kind: 'CertificateSigningRequest',
      plural: 'certificatesigningrequests',
      shortNames: ['csr'],
      scope: 'Cluster',
    },
    ...{ subresources: ['status', 'approval'], columns: CSR_COLUMNS, prepare: prepareCsr },
    ...{ fields: ['spec.signerName'], needs: ['request', 'signerName'] },
  },
];

const ADMISSION: readonly Row[] = [
  {
    ...{ kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies', scope: 'Cluster' },
    subresources: ['status'],
  },
  { kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings', scope: 'Cluster' },
];

const CLUSTER_API_CATEGORY = ['cluster-api'] as const;

const CLUSTER_API: readonly Row[] = [
  {
    ...{ kind: 'Cluster', plural: 'clusters', shortNames: ['cl'], categories: CLUSTER_API_CATEGORY },
    ...{ subresources: ['status'], columns: PHASE_COLUMNS },
  },
  {
    ...{ kind: 'Machine', plural: 'machines', shortNames: ['ma'], categories: CLUSTER_API_CATEGORY },
    ...{ subresources: ['status'], columns: MACHINE_COLUMNS, needs: ['clusterName'] },
  },
  {
    ...{ kind: 'MachineSet', plural: 'machinesets', shortNames: ['ms'], categories: CLUSTER_API_CATEGORY },
    ...{
      subresources: ['status', 'scale'],
      columns: MACHINE_SET_COLUMNS,
      prepare: prepareReplicaSet,
      needs: ['clusterName'],
    },
  },
  {
    ...{
      kind: 'MachineDeployment',
      plural: 'machinedeployments',
      shortNames: ['md'],
      categories: CLUSTER_API_CATEGORY,
    },
    ...{ subresources: ['status', 'scale'], columns: MACHINE_DEPLOYMENT_COLUMNS, prepare: prepareReplicaSet },
    needs: ['clusterName'],
  },
];

const TABLE: readonly (readonly [group: string, version: string, rows: readonly Row[]])[] = [
  ['', 'v1', CORE],
  ['apps', 'v1', APPS],
  ['batch', 'v1', BATCH],
  ['coordination.k8s.io', 'v1', [{ kind: 'Lease', plural: 'leases', columns: LEASE_COLUMNS }]],
  ['rbac.authorization.k8s.io', 'v1', RBAC],
  ['certificates.k8s.io', 'v1', CERTIFICATES],
  ['admissionregistration.k8s.io', 'v1', ADMISSION],
  ['cluster.x-k8s.io', 'v1beta2', CLUSTER_API],
];

export const createBuiltinKinds = (): readonly ServedKind[] =>
  TABLE.flatMap(([group, version, rows]) => rows.map((row) => toServedKind({ group, version }, row)));

const toServedKind = (groupVersion: { readonly group: string; readonly version: string }, row: Row): ServedKind => {
  const { kind, plural, subresources = [], columns = [AGE_COLUMN], needs = [], prepare = (object) => object } = row;
  return {
    resource: { ...groupVersion, kind, plural, scope: row.scope ?? 'Namespaced' },
    singular: kind.toLowerCase(),
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    subresources,
    selectableFields: row.fields ?? [],
    columns: [NAME_COLUMN, ...columns],
    shape: BUILTIN_SHAPE,
    origin: 'builtin',
    statusOnCreate: row.statusOnCreate ?? (subresources.includes('status') ? 'dropped' : 'kept'),
    ...(subresources.includes('scale') && { scale: REPLICAS }),
    prepare,
    check: (object) => checkSpec(object, needs),
  };
};

const checkSpec = (object: Fields, needs: readonly string[]): readonly Problem[] => {
  const { spec } = object;
  if (spec !== undefined && !isRecord(spec)) return [invalidValue('spec', spec, 'must be an object')];
  return needs.filter((name) => spec?.[name] === undefined).map((name) => required(`spec.${name}`));
};
