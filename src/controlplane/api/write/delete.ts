/**
 * DELETE: at once, or marked and left to whoever must act first: the holders of finalizers, the garbage collector, or the
 * agent of the node that runs the Pod, which deletes it again without grace.
 */
import { toTimestamp } from '../../../base/clock.ts';
import { fieldsOf, type StoredObject } from '../../store/object.ts';
import type { Entry } from '../../store/store.ts';
import type { ApiDeps } from '../call.ts';
import type { ServedKind } from '../kinds/served-kind.ts';
import { forbidden, preconditionFailed } from '../refusal.ts';
import { contentsOf, isHeld, settle } from './cascade.ts';
import { type Deletion, PLAIN_DELETION } from './delete-options.ts';

export type Deleted =
  | { readonly is: 'removed'; readonly object: StoredObject }
  | { readonly is: 'marked'; readonly object: StoredObject };

const PERMANENT_NAMESPACES = ['default', 'kube-system', 'kube-public'];
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export const deleteEntry = (
  deps: ApiDeps,
  { kind, entry }: { readonly kind: ServedKind; readonly entry: Entry },
  deletion: Deletion = PLAIN_DELETION,
): Deleted => {
  const { object } = entry;
  checkPreconditions(kind, object, deletion);
  if (kind.resource.kind === 'Namespace' && PERMANENT_NAMESPACES.includes(object.metadata.name)) {
    throw forbidden(kind.resource, object.metadata.name, 'this namespace may not be deleted');
  }
  const graceSeconds = chooseGrace(kind, object, deletion.graceSeconds);
  const marked = mark(deps, withPropagation(object, deletion), graceSeconds);
  const isWaiting = graceSeconds > 0 || isHeld(deps, kind, marked);
  if (deletion.dryRun === 'yes') return { is: isWaiting ? 'marked' : 'removed', object: marked };
  if (!isWaiting) return removeMarked(deps, entry, marked);
  return keepMarked(deps, { kind, entry }, marked);
};

const keepMarked = (
  deps: ApiDeps,
  { kind, entry }: { readonly kind: ServedKind; readonly entry: Entry },
  marked: StoredObject,
): Deleted => {
  const { metadata: old } = entry.object;
  const { metadata } = marked;
  const isNews =
    old.deletionTimestamp === undefined ||
    (metadata.deletionGracePeriodSeconds ?? 0) < (old.deletionGracePeriodSeconds ?? 0) ||
    String(metadata.finalizers) !== String(old.finalizers);
  if (!isNews) return { is: 'marked', object: entry.object };
  const time = toTimestamp(deps.clock.now());
  const scene = { user: { name: '', groups: [] }, old: entry.object, subresource: undefined, time };
  const stored = deps.store.put(entry.collection, kind.prepare(marked, scene)).object;
  return deleteContents(deps, kind, stored);
};

/** A Pod whose grace is cut to nothing is seen so before it is gone. */
const removeMarked = (deps: ApiDeps, { collection, object }: Entry, marked: StoredObject): Deleted => {
  const { deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = object.metadata;
  const isCut = deletionTimestamp !== undefined && graceSeconds > 0;
  return remove(deps, collection, isCut ? deps.store.put(collection, marked).object : marked);
};

const remove = (deps: ApiDeps, collection: string, object: StoredObject): Deleted => {
  const removed = deps.store.remove(collection, object);
  settle(deps, removed);
  return { is: 'removed', object: removed.object };
};

/** A CRD takes the objects of its kind along; it is gone itself when none of them had to wait. */
const deleteContents = (deps: ApiDeps, kind: ServedKind, object: StoredObject): Deleted => {
  for (const entry of contentsOf(deps, kind, object)) {
    const inner = deps.registry.ofCollection(entry.collection);
    if (inner !== undefined) deleteEntry(deps, { kind: inner, entry });
  }
  return { is: 'marked', object };
};

const checkPreconditions = (
  { resource }: ServedKind,
  { metadata }: StoredObject,
  { preconditions }: Deletion,
): void => {
  const { uid, resourceVersion: version } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw preconditionFailed(
      resource,
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (version !== undefined && version !== metadata.resourceVersion) {
    throw preconditionFailed(
      resource,
      metadata.name,
      `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
};

/** The garbage collector works by finalizers; a client that says nothing leaves those that are there. */
const withPropagation = (object: StoredObject, { propagation }: Deletion): StoredObject => {
  if (propagation === undefined) return object;
  const { finalizers = [], ...metadata } = object.metadata;
  const others = finalizers.filter((one) => one !== FOREGROUND && one !== ORPHAN);
  const added = propagation === 'Foreground' ? [FOREGROUND] : propagation === 'Orphan' ? [ORPHAN] : [];
  const next = [...others, ...added];
  return { ...object, metadata: { ...metadata, ...(next.length > 0 && { finalizers: next }) } };
};

/** Only a Pod that an agent may still run has a grace period; a second delete can only shorten it. */
const chooseGrace = ({ resource }: ServedKind, object: StoredObject, asked: number | undefined): number => {
  if (resource.kind !== 'Pod' || resource.group !== '') return 0;
  const spec = fieldsOf(object['spec']);
  const { phase } = fieldsOf(object['status']);
  if (spec['nodeName'] === undefined || spec['nodeName'] === '' || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  const wanted = asked ?? Number(spec['terminationGracePeriodSeconds'] ?? 30);
  const seconds = wanted < 0 ? 1 : wanted;
  const { deletionTimestamp, deletionGracePeriodSeconds: left = seconds } = object.metadata;
  if (deletionTimestamp === undefined) return seconds;
  return asked === undefined ? left : Math.min(left, seconds);
};

const mark = ({ clock }: ApiDeps, object: StoredObject, graceSeconds: number): StoredObject => {
  const { metadata } = object;
  const isFirst = metadata.deletionTimestamp === undefined;
  const isShorter = graceSeconds < (metadata.deletionGracePeriodSeconds ?? Number.POSITIVE_INFINITY);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isFirst && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      ...(isShorter && {
        deletionTimestamp: toTimestamp(clock.now() + graceSeconds * 1_000),
        deletionGracePeriodSeconds: graceSeconds,
      }),
    },
  };
};
