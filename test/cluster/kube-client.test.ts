/** Every verb of our client, its patches and its preconditions, against a real API server. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PatchBody } from '../../src/kube/client/client.ts';
import { DEPLOYMENTS } from '../../src/kube/types/apps.ts';
import type { TokenRequest } from '../../src/kube/types/authentication.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../src/kube/types/certificates.ts';
import { CONFIG_MAPS, type ConfigMap, PODS, SERVICE_ACCOUNTS } from '../../src/kube/types/core.ts';
import { createCsr } from '../../src/pki/csr.ts';
import { createKeyPair } from '../../src/pki/key.ts';
import { DISRUPTION_BUDGETS } from './kube/kinds.ts';
import { eventually, openScene, parts, type Scene } from './kube/scene.ts';

const createMap = ({ client, namespace, signal }: Scene, data: ConfigMap['data'] = { a: '1' }, name = 'one') =>
  client.create(CONFIG_MAPS, { metadata: { namespace, name }, ...(data ? { data } : {}) }, { signal });

const readMap = ({ client, namespace, signal }: Scene, name = 'one') =>
  client.get(CONFIG_MAPS, { namespace, name }, { signal });

describe('an object on a real API server', () => {
  it('is created, read, listed, replaced and deleted', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const made = await createMap(scene);
    assert.ok(made.metadata.uid);
    assert.deepEqual(await readMap(scene), made);
    const replaced = await client.update(CONFIG_MAPS, { ...made, data: { b: '2' } }, { signal });
    assert.deepEqual(replaced.data, { b: '2' });
    const { items } = await client.list(CONFIG_MAPS, { namespace, fieldSelector: 'metadata.name=one', signal });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.resourceVersion),
      [replaced.metadata.resourceVersion],
    );
    await client.delete(CONFIG_MAPS, { namespace, name: 'one' }, { signal });
    await assert.rejects(readMap(scene), { kind: 'not-found', code: 'NotFound' });
  });

  it('gets a name from the server when it brings only the beginning of one', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    const object = { metadata: { namespace, name: '', generateName: 'made-' } };
    const [left, right] = await Promise.all([
      client.create(CONFIG_MAPS, object, { signal }),
      client.create(CONFIG_MAPS, object, { signal }),
    ]);
    assert.match(left.metadata.name, /^made-.{5,}$/);
    assert.notEqual(left.metadata.name, right.metadata.name);
  });

  it('is found by its labels', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    for (const name of ['red', 'blue']) {
      await client.create(CONFIG_MAPS, { metadata: { namespace, name, labels: { colour: name } } }, { signal });
    }
    const { items } = await client.list(CONFIG_MAPS, { namespace, labelSelector: 'colour in (blue)', signal });
    assert.deepEqual(
      items.map(({ metadata }) => metadata.name),
      ['blue'],
    );
  });

  it('is left alone by a dry run of any write', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const options = { dryRun: 'All', signal } as const;
    const key = { namespace, name: 'one' };
    await client.create(CONFIG_MAPS, { metadata: key }, options);
    await assert.rejects(readMap(scene), { kind: 'not-found' });
    const made = await createMap(scene);
    await client.update(CONFIG_MAPS, { ...made, data: { a: '9' } }, options);
    await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { data: { a: '9' } } }, options);
    await client.delete(CONFIG_MAPS, key, options);
    assert.deepEqual(await readMap(scene), made);
  });

  it('is read by any other path as well, as JSON or as text', async (t) => {
    const { client, signal } = await openScene(t);
    assert.equal(await client.getRaw('/readyz', { signal }), 'ok');
    const version = await client.getRaw('/version', { signal });
    assert.ok(typeof version === 'object' && version !== null && 'gitVersion' in version);
  });
});

describe('a patch', () => {
  const rows: readonly { story: string; patch: PatchBody; data: ConfigMap['data'] }[] = [
    {
      story: 'by merge sets and removes',
      patch: { type: 'merge', body: { data: { a: null, c: '3' } } },
      data: { b: '2', c: '3' },
    },
    {
      story: 'by JSON does what its operations say',
      patch: {
        type: 'json',
        body: [
          { op: 'test', path: '/data/a', value: '1' },
          { op: 'replace', path: '/data/a', value: '9' },
          { op: 'remove', path: '/data/b' },
        ],
      },
      data: { a: '9' },
    },
    {
      story: 'by strategic merge deletes by directive',
      patch: { type: 'strategic-merge', body: { data: { $patch: 'replace', z: '0' } } },
      data: { z: '0' },
    },
    {
      story: 'by apply adds to what others own',
      patch: { type: 'apply', body: { apiVersion: 'v1', kind: 'ConfigMap', data: { c: '3' } } },
      data: { a: '1', b: '2', c: '3' },
    },
  ];
  for (const { story, patch, data } of rows) {
    it(story, async (t) => {
      const scene = await openScene(t);
      const { client, namespace, signal } = scene;
      await createMap(scene, { a: '1', b: '2' });
      const patched = await client.patch(CONFIG_MAPS, { namespace, name: 'one' }, patch, { signal });
      assert.deepEqual(patched.data, data);
      assert.deepEqual(await readMap(scene), patched);
    });
  }

  it('by JSON whose test fails is invalid, and does nothing', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const made = await createMap(scene);
    const body = [
      { op: 'test', path: '/data/a', value: '2' },
      { op: 'remove', path: '/data/a' },
    ];
    const patching = client.patch(CONFIG_MAPS, { namespace, name: 'one' }, { type: 'json', body }, { signal });
    await assert.rejects(patching, { kind: 'invalid', code: 'Invalid' });
    assert.deepEqual(await readMap(scene), made);
  });

  it('that changes nothing leaves the version as it is', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const made = await createMap(scene);
    const patch: PatchBody = { type: 'merge', body: { data: { a: '1' } } };
    const patched = await client.patch(CONFIG_MAPS, { namespace, name: 'one' }, patch, { signal });
    assert.equal(patched.metadata.resourceVersion, made.metadata.resourceVersion);
  });
});

describe('server-side apply', () => {
  const configMap = (data: ConfigMap['data'] | undefined) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } },
    ...(data === undefined ? {} : { data }),
  });

  it('creates what is not there, and removes what its manager no longer names', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    const key = { namespace, name: 'one' };
    const options = { fieldManager: 'ada', signal };
    const made = await client.patch(CONFIG_MAPS, key, { type: 'apply', body: configMap({ a: '1' }) }, options);
    assert.deepEqual(made.data, { a: '1' });
    const emptied = await client.patch(CONFIG_MAPS, key, { type: 'apply', body: configMap(undefined) }, options);
    assert.equal(emptied.data, undefined);
  });

  it('of a field that another manager owns is refused, unless forced', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    const key = { namespace, name: 'one' };
    const apply = (fieldManager: string, patch: Extract<PatchBody, { type: 'apply' }>) =>
      client.patch(CONFIG_MAPS, key, patch, { fieldManager, signal });
    await apply('ada', { type: 'apply', body: configMap({ a: '1' }) });
    await assert.rejects(apply('bob', { type: 'apply', body: configMap({ a: '2' }) }), {
      kind: 'denied',
      code: 'FieldConflict',
      message: /conflict with "ada": \.data\.a/,
    });
    const forced = await apply('bob', { type: 'apply', body: configMap({ a: '2' }), force: true });
    assert.deepEqual(forced.data, { a: '2' });
  });
});

describe('a conditional write', () => {
  /** Each is tried with what was true before somebody else wrote, or before the object was deleted and made anew. */
  const rows: readonly { story: string; write: (scene: Scene, stale: ConfigMap) => Promise<unknown> }[] = [
    {
      story: 'an update with the version before',
      write: ({ client, signal }, stale) => client.update(CONFIG_MAPS, { ...stale, data: {} }, { signal }),
    },
    {
      story: 'a merge patch with the version before',
      write: (scene, { metadata: { resourceVersion } }) =>
        patchOne(scene, { type: 'merge', body: { metadata: { resourceVersion }, data: { a: '9' } } }),
    },
    {
      story: 'a merge patch with the identity before',
      write: (scene, { metadata: { uid } }) =>
        patchOne(scene, { type: 'merge', body: { metadata: { uid }, data: { a: '9' } } }),
    },
    {
      story: 'a strategic merge patch with the version before',
      write: (scene, { metadata: { resourceVersion } }) =>
        patchOne(scene, { type: 'strategic-merge', body: { metadata: { resourceVersion }, data: { a: '9' } } }),
    },
    {
      story: 'a JSON patch with the version before',
      write: (scene, { metadata: { resourceVersion } }) =>
        patchOne(scene, {
          type: 'json',
          body: [
            { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
            { op: 'remove', path: '/data/a' },
          ],
        }),
    },
    {
      story: 'an apply with the version before',
      write: (scene, { metadata: { resourceVersion } }) =>
        patchOne(scene, {
          type: 'apply',
          force: true,
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion }, data: { a: '9' } },
        }),
    },
    {
      story: 'a delete of the version before',
      write: ({ client, namespace, signal }, { metadata: { resourceVersion = '' } }) =>
        client.delete(CONFIG_MAPS, { namespace, name: 'one' }, { preconditions: { resourceVersion }, signal }),
    },
    {
      story: 'a delete of the identity before',
      write: ({ client, namespace, signal }, { metadata: { uid = '' } }) =>
        client.delete(CONFIG_MAPS, { namespace, name: 'one' }, { preconditions: { uid }, signal }),
    },
  ];
  const patchOne = ({ client, namespace, signal }: Scene, patch: PatchBody) =>
    client.patch(CONFIG_MAPS, { namespace, name: 'one' }, patch, { signal });

  for (const { story, write } of rows) {
    it(`is a conflict and does nothing: ${story}`, async (t) => {
      const scene = await openScene(t);
      const stale = await createMap(scene);
      await scene.client.delete(CONFIG_MAPS, { namespace: scene.namespace, name: 'one' }, { signal: scene.signal });
      const present = await createMap(scene);
      await assert.rejects(write(scene, stale), { kind: 'conflict', code: 'Conflict' });
      assert.deepEqual(await readMap(scene), present);
    });

    it(`is done when nobody came in between: ${story.replace('before', 'now')}`, async (t) => {
      const scene = await openScene(t);
      const present = await createMap(scene);
      await write(scene, present);
      const found = await readMap(scene).catch(() => undefined);
      assert.notEqual(found?.metadata.resourceVersion, present.metadata.resourceVersion);
    });
  }
});

describe('a subresource', () => {
  it('status is written apart from the rest', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const key = { namespace, name: 'web' };
    await client.create(DEPLOYMENTS, deployment(key, 0), { signal });
    const body = {
      metadata: { labels: { ignored: 'yes' } },
      spec: { replicas: 7 },
      status: { replicas: 0, observedGeneration: 1 },
    };
    const patched = await client.patch(DEPLOYMENTS, key, { type: 'merge', body }, { subresource: 'status', signal });
    assert.equal(patched.spec.replicas, 0);
  });

  it('scale changes the number of replicas', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    const key = { namespace, name: 'web' };
    await client.create(DEPLOYMENTS, deployment(key, 0), { signal });
    await client.patch(
      DEPLOYMENTS,
      key,
      { type: 'merge', body: { spec: { replicas: 3 } } },
      { subresource: 'scale', signal },
    );
    assert.equal((await client.get(DEPLOYMENTS, key, { signal })).spec.replicas, 3);
  });

  it('eviction is refused by a disruption budget and says when to ask again', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const key = { namespace, name: 'worker' };
    await createRunningPod(scene, 'worker');
    const budget = { minAvailable: 1, selector: { matchLabels: { app: 'worker' } } };
    await client.create(DISRUPTION_BUDGETS, { metadata: { namespace, name: 'all' }, spec: budget }, { signal });
    await eventually('the budget counts the Pod', async () => {
      const { status } = await client.get(DISRUPTION_BUDGETS, { namespace, name: 'all' }, { signal });
      return status?.expectedPods === 1 && status.observedGeneration === 1;
    });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: key };
    const evict = () => client.createSubresource(PODS, key, { subresource: 'eviction', body: eviction, signal });
    await assert.rejects(evict(), { kind: 'throttled', code: 'DisruptionBudget', message: /budget/ });
    await client.delete(DISRUPTION_BUDGETS, { namespace, name: 'all' }, { signal });
    assert.deepEqual(await eventually('the eviction is taken', () => evict().catch(() => undefined)), eviction);
  });

  it('token gives a ServiceAccount a token', async (t) => {
    const { client, namespace, signal } = await openScene(t);
    const key = { namespace, name: 'robot' };
    await client.create(SERVICE_ACCOUNTS, { metadata: key }, { signal });
    const body: TokenRequest = { metadata: { name: 'robot' }, spec: { audiences: [], expirationSeconds: 600 } };
    const { status } = await client.createSubresource(SERVICE_ACCOUNTS, key, { subresource: 'token', body, signal });
    assert.match(status?.token ?? '', /^ey.*\..*\./);
  });

  it('approval lets a signing request be signed', async (t) => {
    const { client, namespace: name, signal } = await openScene(t);
    const request = createCsr({
      identity: { commonName: name, organizations: [] },
      keyPair: createKeyPair(parts().random),
    });
    const made = await client.create(
      CERTIFICATE_SIGNING_REQUESTS,
      {
        metadata: { name },
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['digital signature', 'client auth'],
        },
      },
      { signal },
    );
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'by a test' } as const;
    const approved = { ...made, status: { conditions: [condition] } };
    await client.update(CERTIFICATE_SIGNING_REQUESTS, approved, { subresource: 'approval', signal });
    await eventually('the certificate is there', async () => {
      const { status } = await client.get(CERTIFICATE_SIGNING_REQUESTS, { name }, { signal });
      return status?.certificate !== undefined;
    });
    await client.delete(CERTIFICATE_SIGNING_REQUESTS, { name }, { signal });
  });
});

describe('a delete', () => {
  /** Whether the object that the owner made is still there once the owner is gone. */
  const rows = [
    { propagationPolicy: 'Background', child: 'goes after its owner', isLeft: false },
    { propagationPolicy: 'Foreground', child: 'goes before its owner', isLeft: false },
    { propagationPolicy: 'Orphan', child: 'stays', isLeft: true },
  ] as const;
  for (const { propagationPolicy, child, isLeft } of rows) {
    it(`by ${propagationPolicy}: the child ${child}`, async (t) => {
      const scene = await openScene(t);
      const { client, namespace, signal } = scene;
      const { metadata } = await createMap(scene);
      const owner = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'one',
        uid: metadata.uid ?? '',
        blockOwnerDeletion: true,
      };
      await client.create(
        CONFIG_MAPS,
        { metadata: { namespace, name: 'child', ownerReferences: [owner] } },
        { signal },
      );
      await client.delete(CONFIG_MAPS, { namespace, name: 'one' }, { propagationPolicy, signal });
      await eventually('the owner is gone', async () => (await isThere(scene, 'one')) === false || undefined);
      if (isLeft) {
        const orphan = await readMap(scene, 'child');
        assert.equal(orphan.metadata.ownerReferences, undefined);
      } else if (propagationPolicy === 'Foreground') assert.equal(await isThere(scene, 'child'), false);
      else await eventually('the child is gone', async () => (await isThere(scene, 'child')) === false || undefined);
    });
  }

  it('waits for finalizers, and shows when it began', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    const key = { namespace, name: 'one' };
    await client.create(CONFIG_MAPS, { metadata: { ...key, finalizers: ['example.com/hold'] } }, { signal });
    await client.delete(CONFIG_MAPS, key, { signal });
    assert.ok((await readMap(scene)).metadata.deletionTimestamp);
    await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { metadata: { finalizers: [] } } }, { signal });
    assert.equal(await isThere(scene, 'one'), false);
  });

  it('gives a Pod the time it is told', async (t) => {
    const scene = await openScene(t);
    const { client, namespace, signal } = scene;
    await createRunningPod(scene, 'worker');
    const key = { namespace, name: 'worker' };
    await client.delete(PODS, key, { gracePeriodSeconds: 0, signal });
    await assert.rejects(client.get(PODS, key, { signal }), { kind: 'not-found' });
  });
});

const isThere = (scene: Scene, name: string): Promise<boolean> =>
  readMap(scene, name).then(
    () => true,
    () => false,
  );

const deployment = (metadata: { namespace: string; name: string }, replicas: number) => ({
  metadata,
  spec: {
    replicas,
    selector: { matchLabels: { app: metadata.name } },
    template: { metadata: { labels: { app: metadata.name } }, spec: { containers: [{ name: 'main', image: 'none' }] } },
  },
});

/** A Pod that nobody runs, but which says that it does. */
const createRunningPod = async ({ client, namespace, signal }: Scene, name: string): Promise<void> => {
  await eventually('the namespace has its ServiceAccount', () =>
    client.get(SERVICE_ACCOUNTS, { namespace, name: 'default' }, { signal }).catch(() => undefined),
  );
  const metadata = { namespace, name, labels: { app: name } };
  const spec = { nodeName: 'no-such-node', containers: [{ name: 'main', image: 'none' }] };
  await client.create(PODS, { metadata, spec }, { signal });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await client.patch(PODS, metadata, { type: 'merge', body: { status } }, { subresource: 'status', signal });
};
