import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { neverAborted } from '../base/abort.ts';
import { createSystemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { createSystemRandom } from '../base/random.ts';
import { Secret } from '../base/secret.ts';
import { connectCluster } from '../kube/client/connect.ts';
import { createHostIo } from '../kube/client/login/host-io.ts';
import { loadKubeconfig } from '../kube/client/login/load-cluster.ts';
import { NODES } from '../kube/types/core.ts';
import { renderCertificate } from '../pki/certificate.ts';
import { issueClientCertificate, issueServerCertificate } from './auth/client-certificate.ts';
import { renderKubeconfig } from './auth/kubeconfig.ts';
import { ADMIN } from './auth/user.ts';
import { createControlPlane } from './control-plane.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'macfleet-https-'));
const kubeconfigFile = join(folder, 'kubeconfig');
const clock = createSystemClock();
const random = createSystemRandom();
const logger = silentLogger;
const signal = neverAborted();

const plane = createControlPlane({ clock, random, logger });
const issuer = { authority: plane.authority, clock, random };
const authority = renderCertificate(plane.authority.certificate);
let server: HttpsServer;
let kubeconfig = '';

before(async () => {
  server = await startHttpsServer({
    api: plane.api,
    logger,
    serving: issueServerCertificate(issuer, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }),
    clientAuthority: authority,
    tokens: [{ token: new Secret('t0ken'), user: { name: 'robot', groups: ['robots'] } }],
    port: 0,
  });
  kubeconfig = renderKubeconfig({
    server: server.url,
    authority,
    client: issueClientCertificate(issuer, ADMIN),
    name: 'macfleet',
  });
  writeFileSync(kubeconfigFile, kubeconfig, { mode: 0o600 });
});

after(async () => {
  plane.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const connect = async (text = kubeconfig) => {
  const file = join(folder, 'one');
  writeFileSync(file, text, { mode: 0o600 });
  const host = createHostIo();
  return connectCluster(await loadKubeconfig({ path: file }, host), { host, clock, random, logger });
};

describe('over HTTPS', () => {
  test('our client reads, writes and watches with the certificate of the kubeconfig', async () => {
    const { client, close } = await connect();
    const resourceVersion = (await client.list(NODES, { signal })).metadata.resourceVersion;
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of client.watch(NODES, { resourceVersion, timeoutSeconds: 60, signal })) {
        if (event.type === 'BOOKMARK') continue;
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (event.type === 'DELETED') return;
      }
    })();
    await client.create(NODES, { metadata: { name: 'mac-1' } }, { signal });
    await client.delete(NODES, { name: 'mac-1' }, { signal });
    await watching;
    assert.deepEqual(seen, ['ADDED mac-1', 'DELETED mac-1']);
    await close();
  });

  test('an independent client lists and creates', async () => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'c' }, data: { a: 'b' } } });
    const { items } = await core.listNamespacedConfigMap({ namespace: 'default' });
    assert.deepEqual(
      items.map(({ metadata, data }) => [metadata?.name, data]),
      [['c', { a: 'b' }]],
    );
    await assert.rejects(core.readNamespacedConfigMap({ namespace: 'default', name: 'absent' }), { code: 404 });
  });

  test('whoever is not known is let to the health paths only', async () => {
    const anonymous = kubeconfig.replace(/client-certificate-data:.*/, '').replace(/client-key-data:.*/, '');
    const { client, close } = await connect(anonymous);
    assert.equal(await client.getRaw('/readyz', { signal }), 'ok');
    await assert.rejects(client.list(NODES, { signal }), { kind: 'denied', code: 'Unauthorized' });
    await assert.rejects(client.getRaw('/version', { signal }), { code: 'Unauthorized' });
    await close();
  });

  const tokens = [
    { story: 'a token from the table is let in', token: 't0ken', code: undefined },
    { story: 'another token is not', token: 'wrong', code: 'Unauthorized' },
  ];
  for (const { story, token, code } of tokens) {
    test(story, async () => {
      const byToken = kubeconfig
        .replace(/client-certificate-data:.*/, `token: ${token}`)
        .replace(/client-key-data:.*/, '');
      const { client, close } = await connect(byToken);
      const listing = client.list(NODES, { signal });
      if (code === undefined) await listing;
      else await assert.rejects(listing, { code });
      await close();
    });
  }

  test('a certificate of another authority is nobody', async () => {
    const other = createControlPlane({ clock, random, logger });
    const client = issueClientCertificate({ ...issuer, authority: other.authority }, ADMIN);
    const connection = await connect(renderKubeconfig({ server: server.url, authority, client, name: 'x' }));
    await assert.rejects(connection.client.list(NODES, { signal }), { code: 'Unauthorized' });
    await connection.close();
    other.close();
  });

  const sizes = [
    { story: 'said beforehand', megabytes: 4, isSaid: true, status: 413 },
    { story: 'not said', megabytes: 4, isSaid: false, status: 413 },
    { story: 'within the bounds', megabytes: 2, isSaid: false, status: 400 },
  ];
  for (const { story, megabytes, isSaid, status } of sizes) {
    test(`a body of ${megabytes} MB, its size ${story}, is answered with ${status}`, async () => {
      const body = Buffer.alloc(megabytes * 1024 * 1024, 'x');
      const headers = { authorization: 'Bearer t0ken', ...(isSaid && { 'content-length': body.length }) };
      const answer = await new Promise<number | undefined>((resolve, reject) => {
        const options = { method: 'POST', headers, ca: authority, agent: false };
        const sending = httpsRequest(`${server.url}/api/v1/nodes`, options, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sending.on('error', reject);
        // A server that has answered may close while the rest of the body is still being sent.
        if (isSaid) sending.flushHeaders();
        else sending.write(body, () => sending.end());
      });
      assert.equal(answer, status);
    });
  }

  test('a port that is taken is a clear error', async () => {
    const serving = issueServerCertificate(issuer, { dnsNames: [], ipAddresses: ['127.0.0.1'] });
    const again = startHttpsServer({ api: plane.api, logger, serving, clientAuthority: authority, port: server.port });
    await assert.rejects(again, { code: 'CannotListen' });
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe('kubectl', { skip: hasKubectl ? false : 'there is no kubectl on this machine' }, () => {
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const flags = ['--kubeconfig', kubeconfigFile, '--cache-dir', join(folder, 'cache')];
    const { stdout } = await run('kubectl', [...flags, ...args]);
    return stdout;
  };

  test('applies our CRDs and an object, describes, scales and deletes it', async () => {
    const crds = new URL('../../deploy/crds/', import.meta.url).pathname;
    assert.match(await kubectl('apply', '-f', crds), /runnerpools\.tuist\.dev created/);
    const pool = join(folder, 'pool.json');
    const spec = { image: 'i', fleetSelector: 'f', dispatchLabel: 'd', runnerLabels: ['a'] };
    const write = (changed: object) =>
      writeFileSync(
        pool,
        JSON.stringify({
          apiVersion: 'tuist.dev/v1alpha1',
          kind: 'RunnerPool',
          metadata: { name: 'p' },
          spec: changed,
        }),
      );
    write(spec);
    assert.match(await kubectl('apply', '-f', pool), /created/);
    assert.match(await kubectl('apply', '-f', pool), /unchanged/);
    write({ ...spec, image: 'j' });
    assert.match(await kubectl('apply', '-f', pool), /configured/);
    await kubectl('scale', 'rpool', 'p', '--replicas=3');
    assert.match(await kubectl('get', 'rpool'), /p\s+3/);
    assert.match(await kubectl('describe', 'rpool', 'p'), /Image:\s+j/);
    write({ ...spec, image: 'j', typo: 1 });
    await assert.rejects(kubectl('apply', '-f', pool), /unknown field \\?"spec\.typo/);
    assert.match(await kubectl('delete', 'rpool', 'p'), /deleted/);
  });
});
