/** The fault proxy: what each fault looks like to a caller, and that without one the caller notices nothing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { after, afterEach, before, describe, it } from 'node:test';
import { neverAborted } from '../../src/base/abort.ts';
import { createIds } from '../../src/base/ids.ts';
import { createSystemRandom } from '../../src/base/random.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { NAMESPACES, SECRETS } from '../../src/kube/types/core.ts';
import type { Cluster } from './bench/cluster.ts';
import { type FaultProxy, startFaultProxy } from './bench/fault-proxy.ts';
import { readPki } from './bench/pki.ts';
import { sharedCluster } from './bench.ts';
import { eventually } from './kube/scene.ts';

const namespace = `proxy-${createIds(createSystemRandom()).suffix(8)}`;

describe('the fault proxy', { timeout: 60_000 }, () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let direct: KubeClient;
  let client: KubeClient;

  before(async () => {
    cluster = await sharedCluster('api');
    proxy = await startFaultProxy(cluster);
    direct = await cluster.client();
    client = await cluster.client(proxy.kubeconfig);
    await direct.create(
      NAMESPACES,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { signal: neverAborted() },
    );
  });
  after(async () => {
    await proxy.close();
    await cluster.stop();
  });
  afterEach(() => proxy.clear());

  const createSecret = (name: string, signal: AbortSignal) =>
    direct.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }, { signal });
  const listNames = async (signal: AbortSignal): Promise<readonly string[]> =>
    (await client.list(SECRETS, { namespace, signal })).items.map(({ metadata }) => metadata.name ?? '');
  const openWatch = async (signal: AbortSignal) => {
    const { metadata } = await direct.list(SECRETS, { namespace, signal });
    const resourceVersion = metadata.resourceVersion ?? assert.fail('the list has no version');
    const options = { namespace, resourceVersion, timeoutSeconds: 60, signal };
    return client.watch(SECRETS, options)[Symbol.asyncIterator]();
  };

  it('passes on who calls', async () => {
    const kubeconfig = proxy.kubeconfigFor({ name: 'ada', groups: ['readers', 'writers'] });
    const { stdout } = await cluster.kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig });
    const { username, groups } = JSON.parse(stdout).status.userInfo;
    assert.deepEqual([username, groups], ['ada', ['readers', 'writers', 'system:authenticated']]);
  });

  it('lets no caller name a user', async () => {
    const headers = { 'x-remote-user': 'grace', 'x-remote-group': 'system:masters' };
    const { certificate, key } = readPki(cluster.dir).issueClient({ name: 'ada' });
    const tls = { ca: cluster.caPem, cert: certificate, key: key.reveal(), agent: false } as const;
    const sent = request(`${proxy.url}/api/v1/secrets`, { ...tls, headers }).end();
    const [response] = await once(sent, 'response');
    response.resume();
    assert.equal(response.statusCode, 403);
  });

  it('passes reads, writes and watches through', async ({ signal }) => {
    const watch = await openWatch(signal);
    const next = watch.next();
    await createSecret('seen', signal);
    const { value } = await next;
    assert.equal(value?.type, 'ADDED');
    assert.ok((await listNames(signal)).includes('seen'));
    await watch.return?.();
  });

  const answers = [
    { status: 500, error: { kind: 'unavailable' } },
    { status: 429, error: { kind: 'throttled' } },
    { status: 410, error: { kind: 'conflict' } },
  ] as const;
  for (const { status, error } of answers) {
    it(`answers ${status} in the place of the server`, async ({ signal }) => {
      proxy.set({ what: 'answer', status, on: ['write'] });
      const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `never-${status}`, namespace } };
      await assert.rejects(client.create(SECRETS, object, { signal }), error);
      assert.ok(proxy.hits > 0);
      assert.ok(!(await listNames(signal)).includes(`never-${status}`));
    });
  }

  it('does a fault only so many times', async ({ signal }) => {
    proxy.set({ what: 'answer', status: 500, on: ['list'], times: 1 });
    await listNames(signal);
    assert.equal(proxy.hits, 1);
  });

  it('delays', async ({ signal }) => {
    proxy.set({ what: 'delay', ms: 500 });
    const delayed = listNames(signal).then(() => 'delayed');
    await direct.list(SECRETS, { namespace, signal });
    const later = direct.list(SECRETS, { namespace, signal }).then(() => 'direct');
    assert.equal(await Promise.race([delayed, later]), 'direct');
    assert.equal(await delayed, 'delayed');
    assert.equal(proxy.hits, 1);
  });

  it('resets a watch that is open', async ({ signal }) => {
    const watch = await openWatch(signal);
    const next = watch.next();
    await createSecret('before-reset', signal);
    await next;
    const broken = assert.rejects(watch.next(), { kind: 'unavailable' });
    proxy.set({ what: 'reset', on: ['watch'] });
    await broken;
  });

  it('resets after so many bytes of an answer', async ({ signal }) => {
    proxy.set({ what: 'reset', on: ['watch'], afterBytes: 40 });
    const watch = await openWatch(signal);
    const broken = assert.rejects(watch.next(), { kind: 'unavailable' });
    await createSecret('cut-short', signal);
    await broken;
  });

  it('freezes a watch that is open, and one that is opened, while others pass', async ({ signal }) => {
    const frozen = [await openWatch(signal)];
    const [first] = frozen;
    const opened = first?.next();
    await createSecret('before-frost', signal);
    await opened;
    proxy.set({ what: 'frozen' });
    frozen.push(await openWatch(signal));
    const { hits } = proxy;
    const silent = Promise.race(frozen.map((watch) => watch.next()));
    await eventually('the second watch has arrived', () => proxy.hits > hits);
    await createSecret('in-frost', signal);
    proxy.clear();
    const open = await openWatch(signal);
    const heard = open.next();
    await createSecret('after-frost', signal);
    const winner = await Promise.race([silent.then(() => 'frozen'), heard.then(() => 'open')]);
    assert.equal(winner, 'open');
    assert.ok((await listNames(signal)).includes('in-frost'));
    await open.return?.();
  });

  it('answers a list as it was when the fault was set', async ({ signal }) => {
    const old = await listNames(signal);
    proxy.set({ what: 'stale-list' });
    await createSecret('unseen', signal);
    assert.deepEqual(await listNames(signal), old);
    proxy.clear();
    assert.ok((await listNames(signal)).includes('unseen'));
  });
});
