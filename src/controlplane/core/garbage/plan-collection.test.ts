import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject, ObjectMeta } from '../../../kube/types/meta.ts';
import { type CollectionStep, type OwnerState, planCollection } from './plan-collection.ts';

const AT = '2026-01-01T00:00:00Z';
const make = (name: string, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  metadata: { name, uid: name, ...metadata },
});
const ownedBy = (uid: string, blockOwnerDeletion = false) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, blockOwnerDeletion }],
});
const WAITING = { deletionTimestamp: AT, finalizers: ['foregroundDeletion'] };

interface Row {
  readonly story: string;
  readonly object: KubeObject;
  readonly owners?: Readonly<Record<string, OwnerState>>;
  readonly dependents?: readonly KubeObject[];
  readonly step: CollectionStep;
}

const rows: readonly Row[] = [
  { story: 'has no owner', object: make('x'), step: { do: 'nothing' } },
  { story: 'has a living owner', object: make('x'), owners: { o: 'solid' }, step: { do: 'nothing' } },
  {
    story: 'lost its only owner',
    object: make('x'),
    owners: { o: 'dangling' },
    step: { do: 'delete', policy: 'Background' },
  },
  {
    story: 'lost its owner, and somebody asked earlier to keep its dependents',
    object: make('x', { finalizers: ['orphan'] }),
    owners: { o: 'dangling' },
    step: { do: 'delete', policy: 'Orphan' },
  },
  {
    story: 'lost one of two owners',
    object: make('x'),
    owners: { o: 'dangling', p: 'solid' },
    step: { do: 'disown', uids: new Set(['o']) },
  },
  {
    story: 'has one owner that waits and one that stays',
    object: make('x'),
    owners: { o: 'waiting', p: 'solid' },
    step: { do: 'disown', uids: new Set(['o']) },
  },
  {
    story: 'is waited for and owns nothing',
    object: make('x'),
    owners: { o: 'waiting' },
    step: { do: 'delete', policy: 'Background' },
  },
  {
    story: 'is waited for and owns something',
    object: make('x'),
    owners: { o: 'waiting' },
    dependents: [make('d', ownedBy('x'))],
    step: { do: 'delete', policy: 'Foreground' },
  },
  {
    story: 'is waited for by what it owns itself',
    object: make('x', ownedBy('o', true)),
    owners: { o: 'waiting' },
    dependents: [make('o', { ...WAITING, ...ownedBy('x', true) })],
    step: { do: 'unblock' },
  },
  {
    story: 'was taken out of such a ring',
    object: make('x', ownedBy('o')),
    owners: { o: 'waiting' },
    dependents: [make('o', { ...WAITING, ...ownedBy('x', true) })],
    step: { do: 'delete', policy: 'Foreground' },
  },
  {
    story: 'waits for a dependent that blocks it',
    object: make('x', WAITING),
    dependents: [make('d', ownedBy('x', true))],
    step: { do: 'nothing' },
  },
  {
    story: 'waits, and only dependents are left that do not block it',
    object: make('x', WAITING),
    dependents: [make('d', ownedBy('x'))],
    step: { do: 'release' },
  },
  { story: 'waits for nobody', object: make('x', WAITING), step: { do: 'release' } },
  {
    story: 'was deleted so that its dependents live on',
    object: make('x', { deletionTimestamp: AT, finalizers: ['orphan'] }),
    dependents: [make('d', ownedBy('x'))],
    step: { do: 'orphan' },
  },
  {
    story: 'is being deleted anyway',
    object: make('x', { deletionTimestamp: AT, finalizers: ['somebody/else'] }),
    owners: { o: 'dangling' },
    step: { do: 'nothing' },
  },
];

describe('the garbage collector’s plan for an object that', () => {
  for (const { story, object, owners = {}, dependents = [], step } of rows) {
    it(`${story}: ${step.do}`, () => {
      assert.deepEqual(planCollection(object, { owners: new Map(Object.entries(owners)), dependents }), step);
    });
  }
});
