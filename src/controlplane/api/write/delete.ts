/**
 * DELETE: at once, or marked and left to whoever must act first: the holders of finalizers, or the agent of the node that
 * runs the Pod, which deletes it again without grace.
 */
import { toTimestamp } from '../../../base/clock.ts';
import { isRecord } from '../../../base/json.ts';
import { type Fields, fieldsOf, type StoredObject } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import { type ApiDeps, type Call, isDryRun } from '../call.ts';
import { collectionOf, type ServedKind } from '../kinds/served-kind.ts';
import { conflict, forbidden } from '../refusal.ts';
import { contentsOf, isHeld, orphanDependents, settle } from './cascade.ts';

export interface Deletion {
  readonly graceSeconds: number | undefined;
  /** `Orphan` frees the dependents; everything else leaves them to the garbage collector, in the background. */
  readonly propagation: string | undefined;
  readonly preconditions: Fields;
  readonly dryRun: 'yes' | 'no';
}

export type Deleted =
  | { readonly is: 'removed'; readonly object: StoredObject }
  | { readonly is: 'marked'; readonly object: StoredObject };

const PLAIN: Deletion = { graceSeconds: undefined, propagation: undefined, preconditions: {}, dryRun: 'no' };

/** Options come in the body, or for old clients in the query. */
export const readDeletion = (call: Call): Deletion => {
  const body = call.body();
  const options = isRecord(body) && body['kind'] === 'DeleteOptions' ? body : {};
  const grace = options['gracePeriodSeconds'] ?? call.query.get('gracePeriodSeconds') ?? undefined;
  const propagation = options['propagationPolicy'] ?? call.query.get('propagationPolicy') ?? undefined;
  const { dryRun } = options;
  const isDry = isDryRun(call) || (Array.isArray(dryRun) && dryRun.includes('All'));
  return {
    graceSeconds: grace === undefined || Number.isNaN(Number(grace)) ? undefined : Number(grace),
    propagation: propagation === undefined ? undefined : String(propagation),
    preconditions: fieldsOf(options['preconditions']),
    dryRun: isDry ? 'yes' : 'no',
  };
};

const PERMANENT_NAMESPACES = ['default', 'kube-system', 'kube-public'];

export const deleteEntry = (
  deps: ApiDeps,
  { kind, entry }: { kind: ServedKind; entry: Entry },
  deletion = PLAIN,
): Deleted => {
  const { object } = entry;
  checkPreconditions(kind, object, deletion.preconditions);
  if (kind.resource.kind === 'Namespace' && PERMANENT_NAMESPACES.includes(object.metadata.name)) {
    throw forbidden(kind.resource, object.metadata.name, 'this namespace may not be deleted');
  }
  const graceSeconds = chooseGrace(kind, object, deletion.graceSeconds);
  const marked = mark(deps, object, graceSeconds);
  const isWaiting = graceSeconds > 0 || isHeld(deps, kind, marked);
  if (deletion.dryRun === 'yes') return { is: isWaiting ? 'marked' : 'removed', object: marked };
  if (deletion.propagation === 'Orphan') orphanDependents(deps, object);
  if (!isWaiting) return remove(deps, entry.collection, object);
  const prepared = kind.prepare(marked, { user: { name: '', groups: [] }, old: object, strictness: 'Ignore' });
  const isNews =
    object.metadata.deletionTimestamp === undefined || graceSeconds < (object.metadata.deletionGracePeriodSeconds ?? 0);
  const stored = isNews ? deps.store.put(entry.collection, prepared).object : object;
  return deleteContents(deps, kind, stored);
};

const remove = (deps: ApiDeps, collection: string, object: StoredObject): Deleted => {
  const removed = deps.store.remove(collection, object);
  settle(deps, removed);
  return { is: 'removed', object: removed.object };
};

/** A Namespace or CRD takes what is in it along; it is gone itself when none of that had to wait. */
const deleteContents = (deps: ApiDeps, kind: ServedKind, object: StoredObject): Deleted => {
  for (const entry of contentsOf(deps, kind, object)) {
    const inner = deps.registry.all().find(({ resource }) => collectionOf(resource) === entry.collection);
    if (inner !== undefined) deleteEntry(deps, { kind: inner, entry });
  }
  return { is: 'marked', object };
};

const checkPreconditions = ({ resource }: ServedKind, { metadata }: StoredObject, wanted: Fields): void => {
  for (const field of ['uid', 'resourceVersion'] as const) {
    const value = wanted[field];
    if (value === undefined || value === metadata[field]) continue;
    const word = field === 'uid' ? 'UID' : 'ResourceVersion';
    const why = `Precondition failed: ${word} in precondition: ${String(value)}, ${word} in object meta: ${metadata[field]}`;
    throw conflict(resource, metadata.name, why);
  }
};

/** Only a Pod that an agent may still run has a grace period. */
const chooseGrace = ({ resource }: ServedKind, object: StoredObject, asked: number | undefined): number => {
  if (resource.kind !== 'Pod' || resource.group !== '') return 0;
  const spec = fieldsOf(object['spec']);
  const { phase } = fieldsOf(object['status']);
  if (spec['nodeName'] === undefined || spec['nodeName'] === '' || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  const seconds = asked ?? Number(spec['terminationGracePeriodSeconds'] ?? 30);
  return seconds < 0 ? 1 : seconds;
};

const mark = ({ clock }: ApiDeps, object: StoredObject, graceSeconds: number): StoredObject => {
  const { metadata } = object;
  const isFirst = metadata.deletionTimestamp === undefined;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isFirst && { generation: (metadata.generation ?? 0) + 1 }),
      deletionTimestamp: toTimestamp(clock.now() + graceSeconds * 1_000),
      deletionGracePeriodSeconds: graceSeconds,
    },
  };
};
