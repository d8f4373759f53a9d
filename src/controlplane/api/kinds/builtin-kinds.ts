/**
 * The kinds that are served without a CRD, as data: names, fields that can be selected, columns, and what is filled in,
 * decided and checked. Cluster API's kinds stand here so that a fleet can be described without installing its CRDs; their
 * fields are not checked, and all of them are kept.
 */

import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { decode, decodeMetadata } from '../decode/decode.ts';
import { shapeOfSchema } from '../patch/shape.ts';
import type { Schema } from '../schema/schema.ts';
import { checkEvent, checkNewEvent } from './checks/event.ts';
import { checkPod } from './checks/pod.ts';
import {
  type Check,
  checkBinding,
  checkBudget,
  checkConfigMap,
  checkCsr,
  checkLease,
  checkNode,
  checkNothing,
  checkPriorityClass,
  checkRole,
  checkSecret,
  needs,
} from './checks/small-kinds.ts';
import { checkDeployment, checkJob, checkReplicaSet } from './checks/workloads.ts';
import {
  AGE_COLUMN,
  BINDING_COLUMNS,
  BUDGET_COLUMNS,
  CONFIG_MAP_COLUMNS,
  CREATED_COLUMNS,
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
  POLICY_BINDING_COLUMNS,
  POLICY_COLUMNS,
  PRIORITY_CLASS_COLUMNS,
  REPLICA_SET_COLUMNS,
  SECRET_COLUMNS,
} from './columns.ts';
import {
  type FillDefaults,
  fillBinding,
  fillDeployment,
  fillJob,
  fillNamespace,
  fillPod,
  fillPolicy,
  fillPriorityClass,
  fillReplicaSet,
  fillSecret,
  specDefaults,
} from './defaults.ts';
import { CORE_EVENTS, NEW_EVENTS, toCoreEvent, toNewEvent } from './event-forms.ts';
import { type Prepare, prepareCsr, prepareJob, prepareNamespace, preparePod } from './prepare.ts';
import {
  asStored,
  type Column,
  rememberFor,
  type ScalePaths,
  type ServedKind,
  type Subresource,
} from './served-kind.ts';
import type { TypeBook } from './types/builtin-schema.ts';

interface Row {
  readonly kind: string;
  readonly plural: string;
  /** In the data of the types; by default the kind, after the first word of the group. Empty for any fields. */
  readonly type?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: 'Cluster';
  readonly subresources?: readonly Subresource[];
  readonly fields?: readonly string[];
  readonly columns?: readonly Column[];
  readonly fill?: FillDefaults;
  readonly prepare?: Prepare;
  readonly check?: Check;
  readonly statusOnCreate?: 'kept';
  readonly generation?: 'none';
  /** Another form of objects that are stored in that of another group. */
  readonly form?: Form;
}

interface Form {
  readonly storedAs: { readonly group: string; readonly version: string };
  fromStored(object: StoredObject): StoredObject;
  toStored(object: StoredObject): StoredObject;
}

const REPLICAS: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

const MACHINE_REPLICAS: ScalePaths = { ...REPLICAS, selector: ['status', 'selector'] };

const EVENT_FIELDS = [
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (f) => `involvedObject.${f}`,
  ),
  ...['reason', 'type', 'reportingComponent', 'source'],
];
const POD_FIELDS = [
  ...['spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'spec.hostNetwork'],
  ...['status.phase', 'status.podIP', 'status.nominatedNodeName'],
];
const ALL = ['all'] as const;
const STATUS = ['status'] as const;
const STATUS_AND_SCALE = ['status', 'scale'] as const;
const CLUSTER = { scope: 'Cluster' } as const;
const NO_GENERATION = { generation: 'none' } as const;

const CORE: readonly Row[] = [
  {
    ...{ kind: 'Namespace', plural: 'namespaces', shortNames: ['ns'], ...CLUSTER, fields: ['status.phase'] },
    ...{ subresources: ['status', 'finalize'], columns: NAMESPACE_COLUMNS, fill: fillNamespace, ...NO_GENERATION },
    ...{ prepare: prepareNamespace, statusOnCreate: 'kept' },
  },
  {
    ...{ kind: 'Node', plural: 'nodes', shortNames: ['no'], ...CLUSTER, fields: ['spec.unschedulable'] },
    ...{ subresources: STATUS, columns: NODE_COLUMNS, check: checkNode, statusOnCreate: 'kept', ...NO_GENERATION },
  },
  {
    ...{ kind: 'Pod', plural: 'pods', shortNames: ['po'], categories: ALL, fields: POD_FIELDS, columns: POD_COLUMNS },
    ...{ subresources: ['status', 'binding', 'eviction', 'log'], statusOnCreate: 'kept' },
    ...{ fill: fillPod, prepare: preparePod, check: checkPod },
  },
  {
    ...{ kind: 'Secret', plural: 'secrets', fields: ['type'], columns: SECRET_COLUMNS, ...NO_GENERATION },
    ...{ fill: fillSecret, check: checkSecret },
  },
  {
    ...{ kind: 'ConfigMap', plural: 'configmaps', shortNames: ['cm'], columns: CONFIG_MAP_COLUMNS },
    ...{ check: checkConfigMap, ...NO_GENERATION },
  },
  { kind: 'ServiceAccount', plural: 'serviceaccounts', shortNames: ['sa'], subresources: ['token'], ...NO_GENERATION },
  {
    ...{ kind: 'Event', plural: 'events', shortNames: ['ev'], fields: EVENT_FIELDS, columns: EVENT_COLUMNS },
    ...{ check: checkEvent, ...NO_GENERATION },
  },
];

const NEW_EVENT_FIELDS = [
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((f) => `regarding.${f}`),
  ...['reason', 'type', 'reportingController'],
];

const EVENTS: readonly Row[] = [
  {
    ...{ kind: 'Event', plural: 'events', shortNames: ['ev'], fields: NEW_EVENT_FIELDS, check: checkNewEvent },
    columns: EVENT_COLUMNS.map((column) => ({ ...column, cell: (event) => column.cell(toCoreEvent(event)) })),
    form: { storedAs: CORE_EVENTS, fromStored: toNewEvent, toStored: toCoreEvent },
    ...NO_GENERATION,
  },
];

const APPS: readonly Row[] = [
  {
    ...{ kind: 'Deployment', plural: 'deployments', shortNames: ['deploy'], categories: ALL },
    ...{ subresources: STATUS_AND_SCALE, columns: DEPLOYMENT_COLUMNS, fill: fillDeployment, check: checkDeployment },
  },
  {
    ...{ kind: 'ReplicaSet', plural: 'replicasets', shortNames: ['rs'], categories: ALL, fields: ['status.replicas'] },
    ...{ subresources: STATUS_AND_SCALE, columns: REPLICA_SET_COLUMNS, fill: fillReplicaSet, check: checkReplicaSet },
  },
];

const BATCH: readonly Row[] = [
  {
    ...{ kind: 'Job', plural: 'jobs', categories: ALL, subresources: STATUS, fields: ['status.successful'] },
    ...{ columns: JOB_COLUMNS, fill: fillJob, prepare: prepareJob, check: checkJob },
  },
];

const POLICY: readonly Row[] = [
  {
    ...{ kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', shortNames: ['pdb'], subresources: STATUS },
    ...{ columns: BUDGET_COLUMNS, check: checkBudget },
  },
];

const RBAC: readonly Row[] = [
  { kind: 'Role', plural: 'roles', columns: CREATED_COLUMNS, check: checkRole, ...NO_GENERATION },
  {
    ...{ kind: 'RoleBinding', plural: 'rolebindings', columns: BINDING_COLUMNS, ...NO_GENERATION },
    ...{ fill: fillBinding, check: checkBinding },
  },
  {
    ...{ kind: 'ClusterRole', plural: 'clusterroles', ...CLUSTER, columns: CREATED_COLUMNS, ...NO_GENERATION },
    check: checkRole,
  },
  {
    ...{ kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', ...CLUSTER, columns: BINDING_COLUMNS },
    ...{ fill: fillBinding, check: checkBinding, ...NO_GENERATION },
  },
];

const CERTIFICATES: readonly Row[] = [
  {
    ...{ kind: 'CertificateSigningRequest', plural: 'certificatesigningrequests', shortNames: ['csr'], ...CLUSTER },
    ...{ subresources: ['status', 'approval'], columns: CSR_COLUMNS, prepare: prepareCsr, check: checkCsr },
    ...{ fields: ['spec.signerName'], ...NO_GENERATION },
  },
];

const ADMISSION: readonly Row[] = [
  {
    ...{ kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies', ...CLUSTER, subresources: STATUS },
    ...{ categories: ['api-extensions'], columns: POLICY_COLUMNS, fill: fillPolicy, check: needs('matchConstraints') },
  },
  {
    ...{ kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings', ...CLUSTER },
    ...{ categories: ['api-extensions'], columns: POLICY_BINDING_COLUMNS, check: needs('policyName') },
  },
];

const SCHEDULING: readonly Row[] = [
  {
    ...{ kind: 'PriorityClass', plural: 'priorityclasses', shortNames: ['pc'], ...CLUSTER },
    ...{ columns: PRIORITY_CLASS_COLUMNS, fill: fillPriorityClass, check: checkPriorityClass },
  },
];

const LEASES: readonly Row[] = [
  { kind: 'Lease', plural: 'leases', columns: LEASE_COLUMNS, check: checkLease, ...NO_GENERATION },
];

const ANY_FIELDS = { type: '', categories: ['cluster-api'], subresources: STATUS } as const;
const REPLICATED = { ...ANY_FIELDS, subresources: STATUS_AND_SCALE, fill: specDefaults({ replicas: 1 }) } as const;

const CLUSTER_API: readonly Row[] = [
  { kind: 'Cluster', plural: 'clusters', shortNames: ['cl'], ...ANY_FIELDS, columns: PHASE_COLUMNS },
  {
    ...{ kind: 'Machine', plural: 'machines', shortNames: ['ma'], ...ANY_FIELDS, columns: MACHINE_COLUMNS },
    check: needs('clusterName'),
  },
  {
    ...{ kind: 'MachineSet', plural: 'machinesets', shortNames: ['ms'], ...REPLICATED, columns: MACHINE_SET_COLUMNS },
    check: needs('clusterName'),
  },
  {
    ...{ kind: 'MachineDeployment', plural: 'machinedeployments', shortNames: ['md'], ...REPLICATED },
    ...{ columns: MACHINE_DEPLOYMENT_COLUMNS, check: needs('clusterName') },
  },
];

const TABLE: readonly (readonly [group: string, version: string, rows: readonly Row[]])[] = [
  ['', 'v1', CORE],
  [NEW_EVENTS.group, NEW_EVENTS.version, EVENTS],
  ['apps', 'v1', APPS],
  ['batch', 'v1', BATCH],
  ['policy', 'v1', POLICY],
  ['coordination.k8s.io', 'v1', LEASES],
  ['rbac.authorization.k8s.io', 'v1', RBAC],
  ['certificates.k8s.io', 'v1', CERTIFICATES],
  ['scheduling.k8s.io', 'v1', SCHEDULING],
  ['admissionregistration.k8s.io', 'v1', ADMISSION],
  ['cluster.x-k8s.io', 'v1beta2', CLUSTER_API],
];

export const createBuiltinKinds = (book: TypeBook): readonly ServedKind[] =>
  TABLE.flatMap(([group, version, rows]) => rows.map((row) => toServedKind({ group, version }, row, book)));

const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Fields of Cluster API that are lists with keys; others are one piece. */
const CLUSTER_API_SCHEMA: Schema = {
  ...ANYTHING,
  properties: {
    status: {
      ...ANYTHING,
      properties: {
        conditions: {
          ...{ type: 'array', items: ANYTHING, 'x-kubernetes-list-type': 'map' },
          'x-kubernetes-list-map-keys': ['type'],
        },
      },
    },
  },
};

const typeOf = ({ kind, type }: Row, group: string): string => {
  if (type !== undefined) return type;
  return group === '' ? kind : `${group.split('.')[0]}.${kind}`;
};

const toServedKind = (
  groupVersion: { readonly group: string; readonly version: string },
  row: Row,
  book: TypeBook,
): ServedKind => {
  const { kind, plural, subresources = [], columns = [AGE_COLUMN], prepare = (object) => object, form } = row;
  const type = typeOf(row, groupVersion.group);
  const schema = type === '' ? CLUSTER_API_SCHEMA : book(type);
  const scale = type === '' ? MACHINE_REPLICAS : REPLICAS;
  return {
    resource: { ...groupVersion, kind, plural, scope: row.scope ?? 'Namespaced' },
    singular: kind.toLowerCase(),
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    subresources,
    selectableFields: row.fields ?? [],
    columns: columns === EVENT_COLUMNS || row.form !== undefined ? columns : [NAME_COLUMN, ...columns],
    shape: shapeOfSchema(schema, book('meta.ObjectMeta')),
    schema,
    origin: 'builtin',
    generation: row.generation ?? 'counted',
    statusOnCreate: row.statusOnCreate ?? (subresources.includes('status') ? 'dropped' : 'kept'),
    ...(subresources.includes('scale') && { scale }),
    ...(form !== undefined && { storedAs: form.storedAs }),
    decode: (value, refuse) => {
      const decoded =
        type === '' ? decodeMetadata(value, book('meta.ObjectMeta'), refuse) : decode(value, schema, refuse);
      return { value: fieldsOf(decoded.value), unknown: decoded.unknown };
    },
    fillDefaults: row.fill ?? ((object) => object),
    readAs: form === undefined ? asStored : rememberFor(form.fromStored),
    prepare: form === undefined ? prepare : (object, scene) => form.toStored(prepare(object, scene)),
    check: row.check ?? checkNothing,
  };
};
