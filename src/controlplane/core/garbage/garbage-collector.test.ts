import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_MAPS, EVENTS, NODES, SECRETS } from '../../../kube/types/core.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../kube/types/extensions.ts';
import type { OwnerReference } from '../../../kube/types/meta.ts';
import { createCoreControllers } from '../core-controllers.ts';
import { referTo } from '../owner-references.ts';
import { startCluster } from '../testing/cluster.ts';

const start = () => startCluster(createCoreControllers);
const secret = (name: string, ...ownerReferences: readonly OwnerReference[]) => ({
  metadata: { namespace: 'ns', name, ownerReferences },
});
const MAP = { metadata: { namespace: 'ns', name: 'owner' } };

describe('the garbage collector', () => {
  it('deletes what belonged to a deleted owner, and what belonged to that', async () => {
    const cluster = start();
    const owner = await cluster.create(CONFIG_MAPS, MAP);
    const middle = await cluster.create(SECRETS, secret('middle', referTo(CONFIG_MAPS, owner)));
    await cluster.create(SECRETS, secret('leaf', referTo(SECRETS, middle)));
    await cluster.create(SECRETS, { metadata: { namespace: 'ns', name: 'free' } });
    await cluster.remove(CONFIG_MAPS, MAP.metadata);
    assert.deepEqual(
      (await cluster.all(SECRETS)).map(({ metadata }) => metadata.name),
      ['free'],
    );
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  const rows: readonly {
    readonly story: string;
    readonly owners: (uid: string) => readonly OwnerReference[];
    readonly lives: boolean;
  }[] = [
    {
      story: 'the owner lives',
      owners: (uid) => [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }],
      lives: true,
    },
    {
      story: 'another object has the owner’s name',
      owners: () => [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'older' }],
      lives: false,
    },
    {
      story: 'the owner never was',
      owners: () => [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u' }],
      lives: false,
    },
    {
      story: 'the owner is of a kind nobody follows',
      owners: () => [{ apiVersion: 'example.com/v1', kind: 'ConfigMap', name: 'other', uid: 'u' }],
      lives: true,
    },
    {
      story: 'one of two owners lives',
      owners: (uid) => [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid },
      ],
      lives: true,
    },
  ];
  for (const { story, owners, lives } of rows) {
    it(`${lives ? 'keeps' : 'deletes'} an object when ${story}`, async () => {
      const cluster = start();
      const owner = await cluster.create(CONFIG_MAPS, MAP);
      await cluster.create(SECRETS, secret('s', ...owners(owner.metadata.uid ?? '')));
      assert.equal((await cluster.all(SECRETS)).length, lives ? 1 : 0);
      await cluster.end();
    });
  }

  it('finds a cluster-wide owner of a namespaced object, and deletes only the very object it meant', async () => {
    const cluster = start();
    const node = await cluster.create(NODES, { metadata: { name: 'n' } });
    const { metadata } = await cluster.create(SECRETS, secret('s', referTo(NODES, node)));
    assert.equal((await cluster.all(SECRETS)).length, 1);
    await cluster.remove(NODES, { name: 'n' });
    const deletion = cluster.api.writes.find(({ method, path }) => method === 'DELETE' && path.includes('/secrets/'));
    assert.deepEqual(deletion?.body, {
      preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
      propagationPolicy: 'Background',
      kind: 'DeleteOptions',
      apiVersion: 'v1',
    });
    await cluster.end();
  });

  /** As an API leaves an owner behind that was deleted with this policy. */
  const deleteHeldBy = async (cluster: ReturnType<typeof start>, finalizer: string): Promise<void> => {
    await cluster.patch(CONFIG_MAPS, MAP.metadata, { metadata: { finalizers: [finalizer] } });
    await cluster.remove(CONFIG_MAPS, MAP.metadata);
  };
  const namesOf = async (cluster: ReturnType<typeof start>): Promise<readonly string[]> =>
    [...(await cluster.all(CONFIG_MAPS)), ...(await cluster.all(SECRETS))].map(({ metadata }) => metadata.name);

  it('lets an owner wait in the foreground for what blocks it, down to the last leaf', async () => {
    const cluster = start();
    const owner = await cluster.create(CONFIG_MAPS, MAP);
    const block = (object: typeof owner) => ({ ...referTo(CONFIG_MAPS, object), blockOwnerDeletion: true });
    const held = secret('middle', block(owner));
    // This API does not know the policy; the finalizer is what a delete in the foreground leaves.
    const middle = await cluster.create(SECRETS, {
      metadata: { ...held.metadata, finalizers: ['foregroundDeletion'] },
    });
    const leaf = secret('leaf', { ...referTo(SECRETS, middle), blockOwnerDeletion: true });
    await cluster.create(SECRETS, { ...leaf, metadata: { ...leaf.metadata, finalizers: ['slow/leaf'] } });
    await cluster.create(SECRETS, secret('beside', referTo(CONFIG_MAPS, owner)));
    await deleteHeldBy(cluster, 'foregroundDeletion');
    assert.deepEqual(await namesOf(cluster), ['owner', 'middle', 'leaf'], 'who does not block went at once');
    await cluster.patch(SECRETS, { namespace: 'ns', name: 'leaf' }, { metadata: { finalizers: [] } });
    assert.deepEqual(await namesOf(cluster), []);
    assert.deepEqual(cluster.problems, []);
    await cluster.end();
  });

  it('settles a ring of owners that block each other', async () => {
    const cluster = start();
    const owner = await cluster.create(CONFIG_MAPS, MAP);
    const other = await cluster.create(
      SECRETS,
      secret('other', { ...referTo(CONFIG_MAPS, owner), blockOwnerDeletion: true }),
    );
    await cluster.patch(CONFIG_MAPS, MAP.metadata, {
      metadata: { ownerReferences: [{ ...referTo(SECRETS, other), blockOwnerDeletion: true }] },
    });
    await deleteHeldBy(cluster, 'foregroundDeletion');
    assert.deepEqual(await namesOf(cluster), []);
    await cluster.end();
  });

  it('takes the owner out of its dependents when it was asked to orphan them', async () => {
    const cluster = start();
    const owner = await cluster.create(CONFIG_MAPS, MAP);
    await cluster.create(SECRETS, secret('s', referTo(CONFIG_MAPS, owner)));
    await deleteHeldBy(cluster, 'orphan');
    assert.deepEqual(await namesOf(cluster), ['s']);
    assert.deepEqual((await cluster.all(SECRETS))[0]?.metadata.ownerReferences, []);
    await cluster.end();
  });

  it('never looks for an owner in another namespace, and keeps a cluster-wide object of a namespaced owner', async () => {
    const cluster = start();
    const owner = await cluster.create(CONFIG_MAPS, { metadata: { namespace: 'elsewhere', name: 'owner' } });
    await cluster.create(SECRETS, secret('s', referTo(CONFIG_MAPS, owner)));
    await cluster.create(NODES, { metadata: { name: 'n', ownerReferences: [referTo(CONFIG_MAPS, owner)] } });
    assert.deepEqual(await cluster.all(SECRETS), []);
    assert.equal((await cluster.all(NODES)).length, 1);
    const told = await cluster.all(EVENTS);
    assert.deepEqual(
      told.map(({ reason }) => reason),
      ['OwnerRefInvalidNamespace'],
    );
    await cluster.end();
  });

  it('follows the kinds of CRDs as they come', async () => {
    const cluster = start();
    const kites = { group: 'toys', version: 'v1', kind: 'Kite', plural: 'kites', scope: 'Namespaced' } as const;
    const owner = await cluster.create(CONFIG_MAPS, MAP);
    await cluster.create(kites, {
      metadata: { namespace: 'ns', name: 'k', ownerReferences: [referTo(CONFIG_MAPS, owner)] },
    });
    await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, {
      metadata: { name: 'kites.toys' },
      spec: { group: 'toys', names: { kind: 'Kite', plural: 'kites' }, versions: [{ name: 'v1', served: true }] },
    });
    await cluster.remove(CONFIG_MAPS, MAP.metadata);
    assert.deepEqual(await cluster.all(kites), []);
    await cluster.end();
  });
});
