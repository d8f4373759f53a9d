/** What a real API server refuses, as errors of ours. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ErrorKind } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import type { ClusterConfig } from '../../src/kube/client/login/select-context.ts';
import { LEASES } from '../../src/kube/types/coordination.ts';
import { CONFIG_MAPS, NODES, PODS, SECRETS } from '../../src/kube/types/core.ts';
import { UNICORNS } from './kube/kinds.ts';
import { connect, openScene, type Scene } from './kube/scene.ts';

interface Row {
  readonly story: string;
  readonly call: (scene: Scene) => Promise<unknown>;
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: RegExp;
}

const MEGABYTE = 1024 * 1024;

const rows: readonly Row[] = [
  {
    story: 'an object that is not there',
    call: ({ client, namespace, signal }) => client.get(CONFIG_MAPS, { namespace, name: 'none' }, { signal }),
    ...{ kind: 'not-found', code: 'NotFound', message: /getting configmaps .*\/none: .* configmaps "none" not found/ },
  },
  {
    story: 'a delete of an object that is not there',
    call: ({ client, namespace, signal }) => client.delete(CONFIG_MAPS, { namespace, name: 'none' }, { signal }),
    ...{ kind: 'not-found', code: 'NotFound', message: /configmaps "none" not found/ },
  },
  {
    story: 'an object in a namespace that is not there',
    call: ({ client, signal }) =>
      client.create(CONFIG_MAPS, { metadata: { namespace: 'none', name: 'x' } }, { signal }),
    ...{ kind: 'not-found', code: 'NotFound', message: /namespaces "none" not found/ },
  },
  {
    story: 'a kind that is not served',
    call: ({ client, namespace, signal }) => client.list(UNICORNS, { namespace, signal }),
    ...{ kind: 'contract', code: 'KindNotServed', message: /listing unicorns/ },
  },
  {
    story: 'an object of a kind that is not served',
    call: ({ client, namespace, signal }) => client.get(UNICORNS, { namespace, name: 'x' }, { signal }),
    ...{ kind: 'contract', code: 'KindNotServed', message: /getting unicorns/ },
  },
  {
    story: 'a kind of a group that is served, but not it',
    call: ({ client, namespace, signal }) => client.list({ ...UNICORNS, group: 'apps' }, { namespace, signal }),
    ...{ kind: 'contract', code: 'KindNotServed', message: /listing unicorns/ },
  },
  {
    story: 'a name that is taken',
    call: async ({ client, namespace, signal }) => {
      const object = { metadata: { namespace, name: 'twice' } };
      await client.create(CONFIG_MAPS, object, { signal });
      return client.create(CONFIG_MAPS, object, { signal });
    },
    ...{ kind: 'exists', code: 'AlreadyExists', message: /configmaps "twice" already exists/ },
  },
  {
    story: 'an object with several faults, all of which are named',
    call: ({ client, namespace, signal }) => {
      const spec = { holderIdentity: '', leaseDurationSeconds: -1, leaseTransitions: -1 };
      return client.create(LEASES, { metadata: { namespace, name: 'bad' }, spec }, { signal });
    },
    ...{ kind: 'invalid', code: 'Invalid', message: /spec\.leaseDurationSeconds: .*spec\.leaseTransitions: /s },
  },
  {
    story: 'a name that no object may have',
    call: ({ client, namespace, signal }) =>
      client.create(CONFIG_MAPS, { metadata: { namespace, name: 'No_Name' } }, { signal }),
    ...{ kind: 'invalid', code: 'Invalid', message: /metadata\.name: Invalid value: "No_Name"/ },
  },
  {
    story: 'a field of the wrong type, without the rest of the Secret that it is in',
    call: async ({ client, namespace, signal }) => {
      const secret = { metadata: { namespace, name: 'typed' }, data: { password: 'c2VjcmV0' } };
      const { metadata } = await client.create(SECRETS, secret, { signal });
      return client.patch(SECRETS, metadata, { type: 'merge', body: { type: 7 } }, { signal });
    },
    ...{ kind: 'invalid', code: 'Invalid', message: /patch: Invalid value: {…}: json: cannot unmarshal number/ },
  },
  {
    story: 'an object of more than a megabyte',
    call: ({ client, namespace, signal }) =>
      client.create(
        CONFIG_MAPS,
        { metadata: { namespace, name: 'fat' }, data: { all: 'x'.repeat(1.5 * MEGABYTE) } },
        { signal },
      ),
    ...{ kind: 'invalid', code: 'Invalid', message: /Too long/ },
  },
  {
    story: 'a request past what the server reads',
    call: ({ client, namespace, signal }) =>
      client.create(
        CONFIG_MAPS,
        { metadata: { namespace, name: 'fat' }, data: { all: 'x'.repeat(9 * MEGABYTE) } },
        { signal },
      ),
    ...{ kind: 'invalid', code: 'RequestTooLarge', message: /too large/i },
  },
  {
    story: 'an update under another name',
    call: async ({ client, namespace, signal }) => {
      const made = await client.create(CONFIG_MAPS, { metadata: { namespace, name: 'a' } }, { signal });
      return client.patch(
        CONFIG_MAPS,
        { namespace, name: 'a' },
        { type: 'merge', body: { metadata: { ...made.metadata, name: 'b' } } },
        { signal },
      );
    },
    ...{ kind: 'invalid', code: 'BadRequest', message: /name of the object/ },
  },
  {
    story: 'a selector that makes no sense',
    call: ({ client, namespace, signal }) => client.list(CONFIG_MAPS, { namespace, labelSelector: '!!', signal }),
    ...{ kind: 'invalid', code: 'BadRequest', message: /unable to parse requirement/ },
  },
  {
    story: 'a subresource that a kind does not have',
    call: ({ client, namespace, signal }) =>
      client.patch(
        CONFIG_MAPS,
        { namespace, name: 'kube-root-ca.crt' },
        { type: 'merge', body: {} },
        { subresource: 'status', signal },
      ),
    ...{ kind: 'contract', code: 'KindNotServed', message: /patching configmaps\/status/ },
  },
  {
    story: 'a Pod without containers',
    call: async ({ client, namespace, signal }) =>
      client.create(PODS, { metadata: { namespace, name: 'p' }, spec: { containers: [] } }, { signal }),
    ...{ kind: 'invalid', code: 'Invalid', message: /spec\.containers: Required value/ },
  },
];

describe('a real API server refuses', () => {
  for (const { story, call, kind, code, message } of rows) {
    it(`${story}: ${kind} ${code}`, async (t) => {
      const scene = await openScene(t);
      await assert.rejects(call(scene), { kind, code, message });
    });
  }

  it('whom it does not know: denied Unauthorized, with what to do', async (t) => {
    const { cluster, signal } = await openScene(t);
    const { client } = await connect(t, { ...configOf(cluster), login: { token: new Secret('nonsense') } });
    await assert.rejects(client.list(NODES, { signal }), { kind: 'denied', code: 'Unauthorized', hint: /renew/ });
  });

  it('whom it knows but did not allow it: denied Forbidden, with who and what', async (t) => {
    const { cluster, namespace, signal } = await openScene(t);
    const { client } = await connect(t, await cluster.kubeconfigFor({ name: 'ada', groups: ['guests'] }));
    await assert.rejects(client.list(SECRETS, { namespace, signal }), {
      kind: 'denied',
      code: 'Forbidden',
      message: /User "ada" cannot list resource "secrets"/,
      hint: /Role/,
    });
    const watching = client.watch(SECRETS, { namespace, resourceVersion: '0', timeoutSeconds: 5, signal });
    await assert.rejects(watching[Symbol.asyncIterator]().next(), { kind: 'denied', code: 'Forbidden' });
  });
});

const configOf = ({ server, caPem }: Scene['cluster']): Omit<ClusterConfig, 'login'> => ({
  source: 'this test',
  server,
  ca: { in: 'data', pem: new Secret(caPem) },
  verifyServer: 'yes',
});
