/** Cells of the tables that `kubectl get` prints for the built-in kinds: the few that tell a story, and the age. */
import { isRecord } from '../../../base/json.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import { findByPath, type JsonPath, parseJsonPath, valueAt } from '../json-path.ts';
import { renderSelector } from '../selectors.ts';
import type { Column } from './served-kind.ts';

export const NAME_COLUMN: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object.',
  cell: ({ metadata }) => metadata.name,
};

export const AGE_COLUMN: Column = {
  name: 'Age',
  type: 'date',
  description: 'How long ago the object was created.',
  cell: ({ metadata }) => metadata.creationTimestamp,
};

/** A column that shows what stands under a JSONPath. */
export const at = (name: string, path: string, more: Partial<Column> = {}): Column => {
  const steps: JsonPath = parseJsonPath(path) ?? [];
  return { name, type: 'string', ...more, cell: (object) => findByPath(object, steps)[0] };
};

const compute = (name: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  ...more,
  cell,
});

const listIn = (object: StoredObject, ...names: readonly string[]): readonly Readonly<Record<string, unknown>>[] => {
  const value = valueAt(object, names);
  return Array.isArray(value) ? value.filter(isRecord) : [];
};

const numberIn = (object: StoredObject, ...names: readonly string[]): number => Number(valueAt(object, names) ?? 0);

const WIDE = { priority: 1 } as const;

const podStatus = (object: StoredObject): string => {
  const status = fieldsOf(object['status']);
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const waiting = listIn(object, 'status', 'containerStatuses').map((one) =>
    valueAt(one, ['state', 'waiting', 'reason']),
  );
  return String(status['reason'] ?? waiting.find((reason) => reason !== undefined) ?? status['phase'] ?? 'Unknown');
};

const NONE = '<none>';

/** How many of the conditions that the Pod waits for besides are met. */
const readinessGates = (object: StoredObject): string => {
  const gates = listIn(object, 'spec', 'readinessGates').map((gate) => gate['conditionType']);
  const met = listIn(object, 'status', 'conditions').filter(
    (one) => gates.includes(one['type']) && one['status'] === 'True',
  );
  return gates.length === 0 ? NONE : `${met.length}/${gates.length}`;
};

export const POD_COLUMNS: readonly Column[] = [
  compute('Ready', (object) => {
    const ready = listIn(object, 'status', 'containerStatuses').filter((one) => one['ready'] === true).length;
    return `${ready}/${listIn(object, 'spec', 'containers').length}`;
  }),
  compute('Status', podStatus),
  compute('Restarts', (object) =>
    String(
      listIn(object, 'status', 'containerStatuses').reduce((sum, one) => sum + Number(one['restartCount'] ?? 0), 0),
    ),
  ),
  AGE_COLUMN,
  compute('IP', (object) => valueAt(object, ['status', 'podIP']) ?? NONE, WIDE),
  compute('Node', (object) => valueAt(object, ['spec', 'nodeName']) ?? NONE, WIDE),
  compute('Nominated Node', (object) => valueAt(object, ['status', 'nominatedNodeName']) ?? NONE, WIDE),
  compute('Readiness Gates', readinessGates, WIDE),
];

const nodeStatus = (object: StoredObject): string => {
  const ready = listIn(object, 'status', 'conditions').find((one) => one['type'] === 'Ready')?.['status'];
  const words = [ready === 'True' ? 'Ready' : ready === 'False' ? 'NotReady' : 'Unknown'];
  if (valueAt(object, ['spec', 'unschedulable']) === true) words.push('SchedulingDisabled');
  return words.join(',');
};

const ROLE = 'node-role.kubernetes.io/';

const addressOf = (object: StoredObject, type: string): unknown =>
  listIn(object, 'status', 'addresses').find((one) => one['type'] === type)?.['address'] ?? NONE;

const infoOf = (object: StoredObject, name: string): unknown =>
  valueAt(object, ['status', 'nodeInfo', name]) || '<unknown>';

export const NODE_COLUMNS: readonly Column[] = [
  compute('Status', nodeStatus),
  compute('Roles', ({ metadata }) => {
    const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(ROLE));
    return roles.map((label) => label.slice(ROLE.length)).join(',') || '<none>';
  }),
  AGE_COLUMN,
  at('Version', '.status.nodeInfo.kubeletVersion'),
  compute('Internal-IP', (object) => addressOf(object, 'InternalIP'), WIDE),
  compute('External-IP', (object) => addressOf(object, 'ExternalIP'), WIDE),
  compute('OS-Image', (object) => infoOf(object, 'osImage'), WIDE),
  compute('Kernel-Version', (object) => infoOf(object, 'kernelVersion'), WIDE),
  compute('Container-Runtime', (object) => infoOf(object, 'containerRuntimeVersion'), WIDE),
];

const readyOf = (object: StoredObject): string =>
  `${numberIn(object, 'status', 'readyReplicas')}/${numberIn(object, 'spec', 'replicas')}`;

const containersOf = (object: StoredObject, field: string): string =>
  listIn(object, 'spec', 'template', 'spec', 'containers')
    .map((one) => String(one[field]))
    .join(',');

const selectorOf = (object: StoredObject): string => {
  const selector = valueAt(object, ['spec', 'selector']);
  return isRecord(selector) ? renderSelector(selector) : NONE;
};

/** What a workload runs, and which Pods are its own. */
const TEMPLATE_COLUMNS: readonly Column[] = [
  compute('Containers', (object) => containersOf(object, 'name'), WIDE),
  compute('Images', (object) => containersOf(object, 'image'), WIDE),
  compute('Selector', selectorOf, WIDE),
];

export const DEPLOYMENT_COLUMNS: readonly Column[] = [
  compute('Ready', readyOf),
  compute('Up-to-date', (object) => numberIn(object, 'status', 'updatedReplicas'), { type: 'integer' }),
  compute('Available', (object) => numberIn(object, 'status', 'availableReplicas'), { type: 'integer' }),
  AGE_COLUMN,
  ...TEMPLATE_COLUMNS,
];

export const REPLICA_SET_COLUMNS: readonly Column[] = [
  compute('Desired', (object) => numberIn(object, 'spec', 'replicas'), { type: 'integer' }),
  compute('Current', (object) => numberIn(object, 'status', 'replicas'), { type: 'integer' }),
  compute('Ready', (object) => numberIn(object, 'status', 'readyReplicas'), { type: 'integer' }),
  AGE_COLUMN,
  ...TEMPLATE_COLUMNS,
];

const jobStatus = (object: StoredObject): string => {
  const isTrue = (type: string): boolean =>
    listIn(object, 'status', 'conditions').some((one) => one['type'] === type && one['status'] === 'True');
  if (isTrue('Complete')) return 'Complete';
  if (isTrue('Failed')) return 'Failed';
  return object.metadata.deletionTimestamp === undefined ? 'Running' : 'Terminating';
};

export const JOB_COLUMNS: readonly Column[] = [
  compute('Status', jobStatus),
  compute('Completions', (object) => {
    return `${numberIn(object, 'status', 'succeeded')}/${numberIn(object, 'spec', 'completions') || 1}`;
  }),
  AGE_COLUMN,
];

const countOf = (object: StoredObject, field: string): number => Object.keys(fieldsOf(object[field])).length;

export const SECRET_COLUMNS: readonly Column[] = [
  at('Type', '.type'),
  compute('Data', (object) => countOf(object, 'data'), { type: 'integer' }),
  AGE_COLUMN,
];

export const CONFIG_MAP_COLUMNS: readonly Column[] = [
  compute('Data', (object) => countOf(object, 'data'), { type: 'integer' }),
  AGE_COLUMN,
];

const firstSeen = (event: StoredObject): unknown => event['firstTimestamp'] ?? event['eventTime'];

const lastSeen = (event: StoredObject): unknown => {
  const { lastObservedTime } = fieldsOf(event['series']);
  return lastObservedTime ?? event['lastTimestamp'] ?? firstSeen(event);
};

const reporterOf = (event: StoredObject): string => {
  const { component = '', host = '' } = fieldsOf(event['source']);
  const isOld = component !== '' || host !== '';
  const names = isOld ? [component, host] : [event['reportingComponent'], event['reportingInstance']];
  return names.filter((name) => name !== undefined && name !== '').join(', ');
};

/** What an Event is about comes first; its own name says nothing. */
export const EVENT_COLUMNS: readonly Column[] = [
  compute('Last Seen', lastSeen, { type: 'date' }),
  at('Type', '.type'),
  at('Reason', '.reason'),
  compute('Object', (event) => {
    const { kind = '', name = '' } = fieldsOf(event['involvedObject']);
    return [String(kind).toLowerCase(), String(name)].filter((word) => word !== '').join('/');
  }),
  at('Subobject', '.involvedObject.fieldPath', WIDE),
  compute('Source', reporterOf, WIDE),
  compute('Message', (event) => String(event['message'] ?? '').trim()),
  compute('First Seen', firstSeen, { type: 'date', ...WIDE }),
  compute('Count', (event) => String(fieldsOf(event['series'])['count'] ?? event['count'] ?? 1), WIDE),
  { ...NAME_COLUMN, ...WIDE },
];

export const CSR_COLUMNS: readonly Column[] = [
  AGE_COLUMN,
  at('SignerName', '.spec.signerName'),
  at('Requestor', '.spec.username'),
  compute('Condition', (object) => {
    const types = listIn(object, 'status', 'conditions').map((one) => String(one['type']));
    const words = types.length === 0 ? ['Pending'] : types;
    return (valueAt(object, ['status', 'certificate']) === undefined ? words : [...words, 'Issued']).join(',');
  }),
];

const CLUSTER_NAME = at('Cluster', '.spec.clusterName');
const PHASE = at('Phase', '.status.phase');

export const MACHINE_COLUMNS: readonly Column[] = [
  CLUSTER_NAME,
  at('Node Name', '.status.nodeRef.name'),
  at('Provider ID', '.spec.providerID', WIDE),
  PHASE,
  AGE_COLUMN,
];

export const MACHINE_SET_COLUMNS: readonly Column[] = [
  CLUSTER_NAME,
  at('Desired', '.spec.replicas', { type: 'integer' }),
  at('Current', '.status.replicas', { type: 'integer' }),
  at('Ready', '.status.readyReplicas', { type: 'integer' }),
  at('Available', '.status.availableReplicas', { type: 'integer' }),
  AGE_COLUMN,
];

export const MACHINE_DEPLOYMENT_COLUMNS: readonly Column[] = [...MACHINE_SET_COLUMNS.slice(0, -1), PHASE, AGE_COLUMN];

export const PHASE_COLUMNS: readonly Column[] = [PHASE, AGE_COLUMN];

export const NAMESPACE_COLUMNS: readonly Column[] = [at('Status', '.status.phase'), AGE_COLUMN];

export const LEASE_COLUMNS: readonly Column[] = [at('Holder', '.spec.holderIdentity'), AGE_COLUMN];

export const CREATED_COLUMNS: readonly Column[] = [at('Created At', '.metadata.creationTimestamp')];

export const BINDING_COLUMNS: readonly Column[] = [
  compute('Role', (object) => {
    const { kind, name } = fieldsOf(object['roleRef']);
    return `${String(kind)}/${String(name)}`;
  }),
  AGE_COLUMN,
];

const orNone = (value: unknown): unknown => value ?? 'N/A';

export const BUDGET_COLUMNS: readonly Column[] = [
  compute('Min Available', (object) => orNone(valueAt(object, ['spec', 'minAvailable']))),
  compute('Max Unavailable', (object) => orNone(valueAt(object, ['spec', 'maxUnavailable']))),
  compute('Allowed Disruptions', (object) => numberIn(object, 'status', 'disruptionsAllowed'), { type: 'integer' }),
  AGE_COLUMN,
];

export const PRIORITY_CLASS_COLUMNS: readonly Column[] = [
  compute('Value', (object) => object['value'] ?? 0, { type: 'integer' }),
  compute('Global-Default', (object) => object['globalDefault'] ?? false, { type: 'boolean' }),
  AGE_COLUMN,
  at('PreemptionPolicy', '.preemptionPolicy'),
];

export const POLICY_COLUMNS: readonly Column[] = [
  compute('Validations', (object) => listIn(object, 'spec', 'validations').length, { type: 'integer' }),
  compute('ParamKind', (object) => {
    const { apiVersion, kind } = fieldsOf(valueAt(object, ['spec', 'paramKind']));
    return kind === undefined ? '<unset>' : `${String(apiVersion)}/${String(kind)}`;
  }),
  AGE_COLUMN,
];

export const POLICY_BINDING_COLUMNS: readonly Column[] = [
  at('PolicyName', '.spec.policyName'),
  compute('ParamRef', (object) => valueAt(object, ['spec', 'paramRef', 'name']) ?? '<unset>'),
  AGE_COLUMN,
];

export const CRD_COLUMNS: readonly Column[] = [at('Created At', '.metadata.creationTimestamp')];
