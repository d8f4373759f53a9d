import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_MAPS, NODES, SECRETS } from '../../kube/types/core.ts';
import type { OwnerReference } from '../../kube/types/meta.ts';
import { createCoreControllers } from './core-controllers.ts';
import { referTo } from './owner-references.ts';
import { startCluster } from './testing/cluster.ts';

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
      preconditions: { uid: metadata.uid },
      propagationPolicy: 'Background',
      kind: 'DeleteOptions',
      apiVersion: 'v1',
    });
    await cluster.end();
  });
});
