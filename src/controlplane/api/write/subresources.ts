/** Subresources that are objects of their own: scale and binding. */
import { toTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { type ApiDeps, type Call, findEntry, readFields } from '../call.ts';
import { type ApiResponse, reply } from '../http.ts';
import { valueAt } from '../json-path.ts';
import type { ScalePaths } from '../kinds/served-kind.ts';
import { ApiRefusal, conflict, invalid, invalidValue, notSupported, required } from '../refusal.ts';
import { renderSelector } from '../selectors.ts';
import { commitUpdate } from './update.ts';
import { writeOf } from './write-of.ts';

/** The Status that says "done" where there is no object to show. */
export const success = (status: number, details?: Fields): ApiResponse =>
  reply(status, {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
    ...(details !== undefined && { details }),
    ...(status === 201 && { code: status }),
  });

export const renderScale = (object: StoredObject, paths: ScalePaths): Fields => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = paths.selector === undefined ? undefined : valueAt(object, paths.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: Number(valueAt(object, paths.specReplicas) ?? 0) },
    status: {
      replicas: Number(valueAt(object, paths.statusReplicas) ?? 0),
      ...(selector !== undefined && { selector: isRecord(selector) ? renderSelector(selector) : selector }),
    },
  };
};

/** The object as if its own spec had been written with what the Scale says. */
export const withScale = (call: Call, object: StoredObject, scale: Fields): Fields => {
  const replicas = fieldsOf(scale['spec'])['replicas'] ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    const problem = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [problem]);
  }
  const { resourceVersion: version, uid } = fieldsOf(scale['metadata']);
  const wanted = setAt(object, call.kind.scale?.specReplicas ?? [], replicas);
  return {
    ...wanted,
    metadata: {
      ...object.metadata,
      ...(version !== undefined && { resourceVersion: version }),
      ...(uid !== undefined && { uid }),
    },
  };
};

const setAt = (fields: Fields, names: readonly string[], value: unknown): Fields => {
  const [head, ...rest] = names;
  if (head === undefined) return fields;
  return { ...fields, [head]: rest.length === 0 ? value : setAt(fieldsOf(fields[head]), rest, value) };
};

/** The body of a subresource that is an object of its own. */
export const admitBody = ({ gate }: ApiDeps, call: Call): Fields => {
  const body = readFields(call);
  const write = writeOf(call, { operation: 'CREATE', name: call.name ?? '', object: body, old: undefined });
  const admitted = gate.admit(write, body);
  gate.validate({ ...write, object: admitted });
  return admitted;
};

/** POST pods/binding: the scheduler's only write. */
export const bindPod = (deps: ApiDeps, call: Call): ApiResponse => {
  const entry = findEntry(deps, call);
  const { object } = entry;
  const { resource } = call.kind;
  const { metadata } = object;
  const body = admitBody(deps, call);
  const node = targetOf(body);
  const { uid } = fieldsOf(body['metadata']);
  if (uid !== undefined && uid !== '' && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${String(uid)}, UID in object meta: ${metadata.uid}`;
    throw conflict(resource, metadata.name, why);
  }
  const spec = fieldsOf(object['spec']);
  const refuse = (why: string): ApiRefusal => conflict({ ...resource, plural: 'pods/binding' }, metadata.name, why);
  if (metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${metadata.name} is being deleted, cannot be assigned to a host`);
  }
  if (typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '') {
    throw refuse(`pod ${metadata.name} is already assigned to node "${spec['nodeName']}"`);
  }
  if (Array.isArray(spec['schedulingGates']) && spec['schedulingGates'].length > 0) {
    throw refuse(`pod ${metadata.name} has non-empty .spec.schedulingGates`);
  }
  commitUpdate(deps, call, { old: entry, next: boundTo(node, object, toTimestamp(deps.clock.now())) });
  return success(201);
};

/** A real API server calls a binding that it cannot read a failure of its own. */
const targetOf = (binding: Fields): string => {
  const { name, kind = '' } = fieldsOf(binding['target']);
  const problems = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(typeof name === 'string' && name !== '' ? [] : [required('target.name')]),
  ].map(({ field, message }) => `${field}: ${message}`);
  const [first] = problems;
  if (first === undefined) return String(name);
  throw new ApiRefusal('Unknown', problems.length === 1 ? first : `[${problems.join(', ')}]`);
};

const boundTo = (node: string, object: StoredObject, time: string): StoredObject => {
  const status = fieldsOf(object['status']);
  const others = Array.isArray(status['conditions']) ? status['conditions'].filter((one) => !isScheduled(one)) : [];
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: time };
  return {
    ...object,
    spec: { ...fieldsOf(object['spec']), nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
};

const isScheduled = (condition: unknown): boolean => isRecord(condition) && condition['type'] === 'PodScheduled';
