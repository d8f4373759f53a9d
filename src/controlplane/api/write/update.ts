/** PUT and PATCH: the next state of an object, from what a client wants and what it may change. */
import { isEqualJson, isRecord } from '../../../base/json.ts';
import { apiVersionOf } from '../../../kube/types/resource.ts';
import { type Fields, fieldsOf, type StoredMeta, type StoredObject } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import { type ApiDeps, type Call, collectionFor } from '../call.ts';
import { nameInStore } from '../kinds/served-kind.ts';
import { isDryRun } from '../options.ts';
import { trackUpdate } from '../patch/apply.ts';
import { invalid, invalidValue } from '../refusal.ts';
import { isHeld, settle } from './cascade.ts';
import { type Ownership, sceneOf } from './create.ts';
import {
  checkAddress,
  checkConditions,
  checkFinalizers,
  checkFixed,
  checkMetadata,
  clientMetadata,
  isSpecChanged,
} from './metadata.ts';
import { outOfReachOf, writerOf } from './ownership.ts';
import { writeOf } from './write-of.ts';

export interface Wanted {
  readonly fields: Fields;
  readonly ownership: Ownership;
  /** A patch starts from what is stored; an update must say which version it starts from, if the kind insists. */
  readonly base: 'stored' | 'sent';
}

/** The object after the update: stored, or removed when that was what it waited for. */
export const updateObject = (
  deps: ApiDeps,
  call: Call,
  { old: entry, wanted }: { readonly old: Entry; readonly wanted: Wanted },
): StoredObject => {
  const { kind } = call;
  const old = kind.readAs(entry.object);
  const given = fieldsOf(wanted.fields['metadata']);
  checkAddress(call, given);
  checkConditions(call, old, given);
  checkVersionGiven(call, wanted, given);
  const scene = sceneOf(deps, call, old);
  const filled = kind.fillDefaults(mergeAllowed(call, old, wanted.fields));
  const owned = own(deps, call, { old, next: filled, wanted });
  const { name } = owned.metadata;
  const write = writeOf(call, { operation: 'UPDATE', name, object: owned, old });
  const next = kind.prepare(deps.gate.admit(write, owned), scene);
  const problems = [
    ...checkMetadata(call, next),
    ...checkFixed(old.metadata, given),
    ...checkFinalizers(old.metadata, next.metadata),
    ...kind.check(next, scene),
  ];
  if (problems.length > 0) throw invalid(nameInStore(kind), name, problems);
  const counted = withGeneration(call, old, next);
  deps.gate.validate({ ...write, object: counted });
  return commitUpdate(deps, call, { old: entry, next: counted });
};

/** Built-in kinds of which an update must say what it starts from; those of CRDs all do. */
const INSISTENT = new Set([
  'Lease',
  'PodDisruptionBudget',
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

const mayUpdateBlindly = ({ origin, resource }: Call['kind']): boolean =>
  origin === 'builtin' && !INSISTENT.has(resource.kind);

const checkVersionGiven = ({ kind, subresource }: Call, { base }: Wanted, given: Fields): void => {
  const { resourceVersion: version } = given;
  if (base === 'stored' || mayUpdateBlindly(kind) || subresource === 'scale') return;
  if (version !== undefined && version !== '') return;
  const problem = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  throw invalid(kind.resource, String(given['name'] ?? ''), [problem]);
};

/** What this path lets a client change; everything else stays as it is. */
const mergeAllowed = ({ kind, subresource }: Call, old: StoredObject, wanted: Fields): StoredObject => {
  const { metadata: _metadata, status, apiVersion: _version, kind: _kind, ...rest } = wanted;
  const base = { apiVersion: apiVersionOf(kind.resource), kind: old.kind };
  const metadata = nextMetadata(old.metadata, fieldsOf(wanted['metadata']));
  const { status: oldStatus, ...oldRest } = old;
  switch (subresource) {
    case 'status':
      return { ...oldRest, metadata: statusMetadata(kind, old, metadata), ...(status !== undefined && { status }) };
    case 'approval': {
      const { conditions } = fieldsOf(status);
      return {
        ...old,
        metadata,
        status: { ...fieldsOf(old['status']), ...(conditions !== undefined && { conditions }) },
      };
    }
    case 'finalize':
      return { ...old, spec: { ...fieldsOf(old['spec']), finalizers: fieldsOf(wanted['spec'])['finalizers'] ?? [] } };
    default: {
      const kept = kind.subresources.includes('status') ? oldStatus : status;
      const held = rest['spec'] === undefined && isNamespace(kind) ? { spec: old['spec'] } : {};
      return { ...base, metadata, ...rest, ...held, ...(kept !== undefined && { status: kept }) };
    }
  }
};

const isNamespace = ({ resource }: Call['kind']): boolean => resource.kind === 'Namespace' && resource.group === '';

/** Of metadata, a status of a kind from a CRD can change nothing; one of a built-in kind all but its owners. */
const statusMetadata = (kind: Call['kind'], old: StoredObject, wanted: StoredMeta): StoredMeta => {
  const { managedFields } = wanted;
  if (kind.origin === 'custom') return { ...old.metadata, ...(managedFields !== undefined && { managedFields }) };
  const { ownerReferences: _dropped, ...rest } = wanted;
  const { ownerReferences } = old.metadata;
  return { ...rest, ...(ownerReferences !== undefined && { ownerReferences }) };
};

const nextMetadata = (old: StoredMeta, given: Fields): StoredMeta => {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, managedFields: _m, ...kept } = old;
  const { generateName: _generateName, ...client } = clientMetadata(given);
  const managed = given['managedFields'] ?? old['managedFields'];
  return { ...kept, ...client, ...(managed !== undefined && { managedFields: managed }) };
};

const own = (
  deps: ApiDeps,
  call: Call,
  { old, next, wanted }: { readonly old: StoredObject; readonly next: StoredObject; readonly wanted: Wanted },
): StoredObject => {
  if (wanted.ownership === 'given' || isScaleUnowned(call, old)) return next;
  const { managedFields } = next.metadata;
  // A client that sends an empty list wants the record gone.
  const isReset = Array.isArray(managedFields) && managedFields.length === 0;
  if (isReset || isRecordReset(managedFields)) return withoutRecord(next);
  return trackUpdate({ old, next, outOfReach: outOfReachOf(call) }, writerOf(deps, call), call.kind.shape);
};

/** Who scales what nobody owns does not come to own it. */
const isScaleUnowned = ({ kind, subresource }: Call, old: StoredObject): boolean => {
  const { managedFields } = old.metadata;
  if (subresource !== 'scale' || kind.scale === undefined || !Array.isArray(managedFields)) return false;
  const path = kind.scale.specReplicas;
  const owns = (entry: unknown): boolean =>
    path.reduce<unknown>((fields, name) => fieldsOf(fields)[`f:${name}`], fieldsOf(entry)['fieldsV1']) !== undefined;
  return !managedFields.some(owns);
};

const isRecordReset = (managed: unknown): boolean =>
  Array.isArray(managed) && managed.length === 1 && isRecord(managed[0]) && Object.keys(managed[0]).length === 0;

const withoutRecord = (object: StoredObject): StoredObject => {
  const { managedFields: _gone, ...metadata } = object.metadata;
  return { ...object, metadata };
};

const withGeneration = ({ kind }: Call, old: StoredObject, next: StoredObject): StoredObject => {
  if (kind.generation === 'none') return next;
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
