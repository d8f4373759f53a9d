/** Subresources that are objects of their own: scale, binding and eviction. */
import { toTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import { type ApiDeps, type Call, findEntry, readFields } from '../call.ts';
import { type ApiResponse, reply } from '../http.ts';
import { valueAt } from '../json-path.ts';
import type { ScalePaths } from '../kinds/served-kind.ts';
import { conflict, invalid, invalidValue, required } from '../refusal.ts';
import { deleteEntry } from './delete.ts';
import { commitUpdate } from './update.ts';

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
      ...(selector !== undefined && { selector }),
    },
  };
};

/** The object as if its own spec had been written with what the Scale says. */
export const withScale = (call: Call, object: StoredObject, scale: Fields): Fields => {
  const replicas = fieldsOf(scale['spec'])['replicas'];
  if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
    const problem = invalidValue('spec.replicas', replicas ?? null, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [problem]);
  }
  const version = fieldsOf(scale['metadata'])['resourceVersion'];
  const wanted = setAt(object, call.kind.scale?.specReplicas ?? [], replicas);
  return { ...wanted, metadata: { ...object.metadata, ...(version !== undefined && { resourceVersion: version }) } };
};

const setAt = (fields: Fields, names: readonly string[], value: unknown): Fields => {
  const [head, ...rest] = names;
  if (head === undefined) return fields;
  return { ...fields, [head]: rest.length === 0 ? value : setAt(fieldsOf(fields[head]), rest, value) };
};

/** POST pods/binding: the scheduler's only write. */
export const bindPod = (deps: ApiDeps, call: Call): ApiResponse => {
  const entry = findEntry(deps, call);
  const { object } = entry;
  const { resource } = call.kind;
  const node = fieldsOf(readFields(call)['target'])['name'];
  if (typeof node !== 'string' || node === '') throw invalid(resource, object.metadata.name, [required('target.name')]);
  const spec = fieldsOf(object['spec']);
  if (object.metadata.deletionTimestamp !== undefined) {
    throw conflict(
      resource,
      object.metadata.name,
      `pod ${object.metadata.name} is being deleted, cannot be assigned to a host`,
    );
  }
  if (typeof spec['nodeName'] === 'string' && spec['nodeName'] !== '') {
    throw conflict(
      resource,
      object.metadata.name,
      `pod ${object.metadata.name} is already assigned to node "${spec['nodeName']}"`,
    );
  }
  const status = fieldsOf(object['status']);
  const others = Array.isArray(status['conditions']) ? status['conditions'].filter((one) => !isScheduled(one)) : [];
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: toTimestamp(deps.clock.now()) };
  const next = {
    ...object,
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
  commitUpdate(deps, call, { old: entry, next });
  return success(201);
};

const isScheduled = (condition: unknown): boolean => isRecord(condition) && condition['type'] === 'PodScheduled';

/** POST pods/eviction: a delete. There are no disruption budgets here that could forbid it. */
export const evictPod = (deps: ApiDeps, call: Call): ApiResponse => {
  const entry = findEntry(deps, call);
  const options = fieldsOf(readFields(call)['deleteOptions']);
  const grace = options['gracePeriodSeconds'];
  deleteEntry(
    deps,
    { kind: call.kind, entry },
    {
      graceSeconds: typeof grace === 'number' ? grace : undefined,
      propagation: undefined,
      preconditions: fieldsOf(options['preconditions']),
      dryRun: call.query.getAll('dryRun').includes('All') ? 'yes' : 'no',
    },
  );
  return success(201);
};
