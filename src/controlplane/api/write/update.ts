/** PUT and PATCH: the next state of an object, from what a client wants and what it may change. */
import { toTimestamp } from '../../../base/clock.ts';
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredMeta, type StoredObject } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor, isDryRun, managerOf } from '../call.ts';
import { trackUpdate } from '../patch/apply.ts';
import { invalid, invalidValue } from '../refusal.ts';
import { isHeld, settle } from './cascade.ts';
import { sceneOf } from './create.ts';
import {
  checkAddress,
  checkConditions,
  checkFinalizers,
  checkMetadata,
  clientMetadata,
  isSpecChanged,
} from './metadata.ts';

export interface Wanted {
  readonly fields: Fields;
  /** An apply brings its own record of who owns what. */
  readonly ownership: 'track' | 'given';
  /** A patch starts from what is stored; an update must say which version it starts from, if the kind insists. */
  readonly base: 'stored' | 'sent';
}

/** The object after the update: stored, or removed when that was what it waited for. */
export const updateObject = (
  deps: ApiDeps,
  call: Call,
  { old, wanted }: { old: Entry; wanted: Wanted },
): StoredObject => {
  const { kind } = call;
  const given = fieldsOf(wanted.fields['metadata']);
  checkAddress(call, wanted.fields, given);
  checkConditions(call, old.object, given);
  checkVersionGiven(call, wanted, given);
  const scene = sceneOf(call, old.object);
  const merged = mergeAllowed(call, old.object, wanted.fields);
  const next = own(deps, call, { old: old.object, next: kind.prepare(merged, scene), wanted });
  const problems = [
    ...checkMetadata(call, next),
    ...checkFinalizers(old.object.metadata, next.metadata),
    ...kind.check(next, scene),
  ];
  if (problems.length > 0) throw invalid(kind.resource, next.metadata.name, problems);
  return commitUpdate(deps, call, { old, next: withGeneration(old.object, next) });
};

const checkVersionGiven = ({ kind, subresource }: Call, { base }: Wanted, given: Fields): void => {
  const { resourceVersion: version } = given;
  if (base === 'stored' || kind.origin === 'builtin' || subresource === 'scale') return;
  if (version !== undefined && version !== '') return;
  const problem = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  throw invalid(kind.resource, String(given['name'] ?? ''), [problem]);
};

/** What this path lets a client change; everything else stays as it is. */
const mergeAllowed = ({ kind, subresource }: Call, old: StoredObject, wanted: Fields): StoredObject => {
  const { metadata: _metadata, status, apiVersion: _version, kind: _kind, ...rest } = wanted;
  const base = { apiVersion: old.apiVersion, kind: old.kind };
  const metadata = nextMetadata(old.metadata, fieldsOf(wanted['metadata']));
  const { status: oldStatus, ...oldRest } = old;
  switch (subresource) {
    case 'status':
      return { ...oldRest, ...(kind.origin === 'builtin' && { metadata }), ...(status !== undefined && { status }) };
    case 'approval': {
      const { conditions } = fieldsOf(status);
      return { ...old, status: { ...fieldsOf(old['status']), conditions } };
    }
    case 'finalize':
      return { ...old, spec: wanted['spec'] };
    default: {
      const kept = kind.subresources.includes('status') ? oldStatus : status;
      return { ...base, metadata, ...rest, ...(kept !== undefined && { status: kept }) };
    }
  }
};

const nextMetadata = (old: StoredMeta, given: Fields): StoredMeta => {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, generateName: _g, ...kept } = old;
  const managed = given['managedFields'] ?? old['managedFields'];
  return { ...kept, ...clientMetadata(given), ...(managed !== undefined && { managedFields: managed }) };
};

const own = (
  { clock }: ApiDeps,
  call: Call,
  { old, next, wanted }: { readonly old: StoredObject; readonly next: StoredObject; readonly wanted: Wanted },
): StoredObject => {
  if (wanted.ownership === 'given') return next;
  const { subresource } = call;
  const by = {
    manager: managerOf(call),
    apiVersion: old.apiVersion,
    time: toTimestamp(clock.now()),
    ...(subresource !== undefined && { subresource }),
  };
  return trackUpdate({ old, next }, by, call.kind.shape);
};

const withGeneration = (old: StoredObject, next: StoredObject): StoredObject => {
  const generation = (old.metadata.generation ?? 0) + (isSpecChanged(old, next) ? 1 : 0);
  return { ...next, metadata: { ...next.metadata, generation } };
};

/** Writes nothing when nothing changed; removes the object when its last finalizer went. */
export const commitUpdate = (
  deps: ApiDeps,
  call: Call,
  { old, next }: { readonly old: Entry; readonly next: StoredObject },
): StoredObject => {
  if (isEqualJson(withoutTimes(next), withoutTimes(old.object))) return old.object;
  if (isDryRun(call)) return next;
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = next.metadata;
  const collection = collectionFor(call);
  if (deletionTimestamp === undefined || graceSeconds > 0 || isHeld(deps, call.kind, next)) {
    return deps.store.put(collection, next).object;
  }
  const removed = deps.store.remove(collection, next);
  settle(deps, removed);
  return removed.object;
};

/** When a manager last wrote does not make an object another one. */
const withoutTimes = (object: StoredObject): Fields => {
  const { managedFields, ...metadata } = object.metadata;
  const managers = Array.isArray(managedFields)
    ? managedFields.map((entry) => (isRecord(entry) ? { ...entry, time: undefined } : entry))
    : undefined;
  return { ...object, metadata: { ...metadata, managedFields: managers } };
};
