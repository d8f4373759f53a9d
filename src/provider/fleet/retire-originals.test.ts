import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../base/logger.ts';
import { MAC_HOSTS, type MacHost, parseMacHost } from '../../kinds/mac-host.ts';
import { createCache } from '../../kube/cache/cache.ts';
import type { Transport } from '../../kube/client/transport.ts';
import { createManager } from '../../kube/manager/manager.ts';
import { createHarness } from '../../kube/testing/harness.ts';
import { SECRETS, SERVICE_ACCOUNTS } from '../../kube/types/core.ts';
import { CLUSTER_ROLE_BINDINGS } from '../../kube/types/rbac.ts';
import { createOriginalsController, isOnItsOwn } from './retire-originals.ts';

const AT = '2026-01-01T00:00:00Z';
const claimRef = { namespace: 'ci', name: 'mac-1', uid: 'u' };
const ROLLED = {
  spec: { claimRef, assignedName: { current: 'mac-1' }, identity: { nodeName: 'mac-1', expiresAt: AT } },
  status: { state: 'joined', configHash: 'ours' },
};
const host = ({ spec, status }: { readonly spec: object; readonly status: object }) =>
  parseMacHost({
    metadata: { name: 'srv-1' },
    spec: { source: { scaleway: { projectID: 'p', zone: 'z', serverID: 'srv-1' } }, ...spec },
    status,
  });

/** What the original made for a Mac; `cutAfter` deletions of ours the process dies. */
const stage = async (record: MacHost, options: { readonly cutAfter?: number; readonly labels?: object } = {}) => {
  const deleted: string[] = [];
  let isCut = false;
  let cutAfter = options.cutAfter;
  const wrap = (transport: Transport): Transport => ({
    ...transport,
    send: (request) => {
      if (isCut) return Promise.reject(new Error('dead'));
      if (request.method === 'DELETE') deleted.push(request.path.split('/').slice(-2).join('/'));
      if (deleted.length === cutAfter) isCut = true;
      return transport.send(request);
    },
  });
  const { client, clock, random, stop, advance } = createHarness({ wrap });
  const { signal } = stop;
  const managedBy = 'capi-scaleway-applesilicon';
  const labels = {
    ...{ 'tuist.dev/managed-by': managedBy, 'tuist.dev/machine': 'mac-1' },
    ...{ 'app.kubernetes.io/component': 'tart-kubelet', ...options.labels },
  };
  const metadata = { name: 'tart-kubelet-mac-1', labels };
  await client.create(SERVICE_ACCOUNTS, { metadata: { ...metadata, namespace: 'tuist' } }, { signal });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x' };
  await client.create(CLUSTER_ROLE_BINDINGS, { metadata, roleRef }, { signal });
  const token = { name: 'tart-kubelet-mac-1-token', namespace: 'tuist', labels };
  await client.create(SECRETS, { metadata: token, data: {} }, { signal });
  const password = { name: 'mac-1-bootstrap', namespace: 'tuist' };
  await client.create(SECRETS, { metadata: password, data: { 'sudo-password': 'eA==' } }, { signal });
  await client.create(MAC_HOSTS, record, { signal });
  const deps = { client, clock, random, logger: silentLogger };
  const run = async (): Promise<void> => {
    isCut = false;
    const end = new AbortController();
    const indexes = { node: ({ spec }: MacHost) => (spec.claimRef === undefined ? [] : [spec.claimRef.name]) };
    const hosts = createCache({ ...deps, resource: MAC_HOSTS, indexes });
    const controllers = [createOriginalsController({ hosts, namespace: 'tuist' })];
    const running = createManager({ ...deps, name: 'm', caches: [hosts], controllers }).run(end.signal);
    for (let turn = 0; turn < 30; turn += 1) await advance(100);
    end.abort();
    await running.catch(() => undefined);
    cutAfter = undefined;
  };
  return { deleted, run };
};

const ALL = [
  'clusterrolebindings/tart-kubelet-mac-1',
  'secrets/tart-kubelet-mac-1-token',
  'secrets/mac-1-bootstrap',
  'serviceaccounts/tart-kubelet-mac-1',
];

describe('what the Go original made for a Mac (R28)', () => {
  it('goes when the Mac has our configuration and its own identity: the binding first, the account last', async () => {
    const { deleted, run } = await stage(host(ROLLED));
    await run();
    assert.deepEqual(deleted, ALL);
  });

  for (const cutAfter of [1, 2, 3]) {
    it(`goes to its end when the manager died after ${cutAfter} of four deletions`, async () => {
      const { deleted, run } = await stage(host(ROLLED), { cutAfter });
      await run();
      await run();
      assert.deepEqual([...new Set(deleted)], ALL);
    });
  }

  it('stays while the Mac works with it', async () => {
    const { deleted, run } = await stage(host({ ...ROLLED, status: { state: 'joined' } }));
    await run();
    assert.deepEqual(deleted, []);
  });

  it('stays when it is somebody else’s', async () => {
    const { deleted, run } = await stage(host(ROLLED), { labels: { 'tuist.dev/managed-by': 'another' } });
    await run();
    assert.deepEqual(deleted, []);
  });

  const rows = [
    { story: 'does not, before a push was verified', status: { state: 'joined' }, is: false },
    { story: 'does not, without a certificate of ours', spec: { identity: undefined }, is: false },
    { story: 'does not, while it is given back', spec: { release: { intentID: 'i', reason: 'X' } }, is: false },
    { story: 'does, otherwise', is: true },
  ];
  for (const { story, is, ...given } of rows) {
    it(`is what its Mac works without, or ${story}`, () => {
      const record = { spec: { ...ROLLED.spec, ...given.spec }, status: given.status ?? ROLLED.status };
      assert.equal(isOnItsOwn(host(record)), is);
    });
  }
});
